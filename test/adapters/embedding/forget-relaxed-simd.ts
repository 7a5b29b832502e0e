// Makes this thread one of a browser without relaxed SIMD, as Safari is: our encoder's first build
// is not valid there, and all else is.
import { hasRelaxedProduct, isOurEncoder } from './encoder/our-encoder.ts';

const validate = WebAssembly.validate.bind(WebAssembly);
WebAssembly.validate = (bytes) => !(isOurEncoder(bytes) && hasRelaxedProduct(bytes)) && validate(bytes);
