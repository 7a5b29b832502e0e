// Makes this thread one on which our encoder does not run at all, and ONNX Runtime does.
import { isOurEncoder } from './encoder/our-encoder.ts';

const validate = WebAssembly.validate.bind(WebAssembly);
WebAssembly.validate = (bytes) => !isOurEncoder(bytes) && validate(bytes);
