// Makes this thread one on which our encoder does not run at all, and ONNX Runtime does.
import { ASSEMBLED, ASSEMBLED_PLAIN } from '../../../src/adapters/embedding/encoder.ts';

const validate = WebAssembly.validate.bind(WebAssembly);
const ours = [ASSEMBLED, ASSEMBLED_PLAIN].map((code) => atob(code).length);
WebAssembly.validate = (bytes) => !ours.includes(bytes.byteLength) && validate(bytes);
