//! Textures, buffers and samplers: their methods, elements and texels.
