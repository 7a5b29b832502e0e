// Makes this thread one of a browser without relaxed SIMD, as Safari is: our encoder's first build is not valid there, and all else is.
import { ASSEMBLED } from '../../../src/adapters/embedding/encoder.ts';

const validate = WebAssembly.validate.bind(WebAssembly);
const { length } = atob(ASSEMBLED);
WebAssembly.validate = (bytes) => bytes.byteLength !== length && validate(bytes);
