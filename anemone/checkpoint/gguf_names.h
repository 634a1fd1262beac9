#pragma once

#include <string>
#include <string_view>

namespace anemone {

// Whether GGUF files of this architecture keep exactly Hugging Face's weights, each under a name of
// its own (so not gemma, say, whose norms are stored with 1 added).
bool knows_gguf_names(std::string_view architecture);

// "blk.7.attn_q.weight" -> "model.layers.7.self_attn.q_proj.weight"; a name without a counterpart
// stays as it is.
std::string hugging_face_name(std::string_view gguf_name);

}  // namespace anemone
