// A BERT encoder with weights of eight bits, in WebAssembly: runs the bundled models on a CPU, with relaxed SIMD where the browser has it, else with
// the older, slower SIMD. ONNX Runtime's browser builds use the older SIMD only, which has no product of bytes: on two cores they take longer
// than this takes on one. Each piece's states are rounded to seven bits by a step of their own, ONNX Runtime's to eight bits by one step for the
// whole text: ours come nearer to a model that rounds nothing (cosine .998 to .999, against .995 to .997).

import { log } from '../../domain/base/log.ts';

/** `encoder.wat`, assembled: 3,945 bytes. */
export const ASSEMBLED =
  'AGFzbQEAAAABVApgAABgAXsBe2AFf39/f38AYAZ/f39/f38AYAd7e39/f39/AGAKf39/f39/f39/fwBgCX9/f39/f39/fwBgBX9/f399AGACf38AYAd/f39/f399AAISAQNlbnYGbWVtb3J5' +
  'AgMBgIAEAw0MAAEBAgMEBQYDBwgJBgYBfwFBAAsHVgkHaXNXaG9sZQMACHF1YW50aXNlAAMEcGFjawAEB3Byb2R1Y3QABghtdWx0aXBseQAHBHR1cm4ACAdzb2Z0bWF4AAkEZ2VsdQAKCW5v' +
  'cm1hbGlzZQALCAEACoIdDEUA/Qx/f39/f39/f39/f39/f39//Qz//////////////////////QwAAAAAAAAAAAAAAAAAAAAA/ZMC/RsAQf7/A0ckAAs6ACAAIAAgAP0NCAkKCwwNDg8AAQID' +
  'BAUGB/3kASEAIAAgACAA/Q0EBQYHAAECAwwNDg8ICQoL/eQBCzoAIAAgACAA/Q0ICQoLDA0ODwABAgMEBQYH/Y4CIQAgACAAIAD9DQQFBgcAAQIDDA0ODwgJCgv9jgILqgMDBH8FewF9A0Ag' +
  'ACACQQJ0aiEH/QwAAAAAAAAAAAAAAAAAAAAAIQn9DAAAAAAAAAAAAAAAAAAAAAAhCiAAIQYDQCAG/QAEACENIAkgDf2NAiEJIAogDf2OAiEKIAZBEGohBiAGIAdJDQALIAoQAiEKIAn94QEQ' +
  'Av3hASEJIAr9HwAgCf0fAJNDAAD+QpVDYEKiDZchDkMAAIA/IA6V/RMhCyAJIAv95gH94QH9aiEMIAQgDjgCACAEIAz9HwA4AgQgDP0MAAAAPwAAAD8AAAA/AAAAP/3kASEMIAMgBUF8cSAC' +
  'bGogBUEDcUECdGohCCAAIQYDQCAG/QAEACALIAz9hQL9gQIgBv0ABBAgCyAM/YUC/YEC/YUBIAb9AAQgIAsgDP2FAv2BAiAG/QAEMCALIAz9hQL9gQL9hQH9Zv0Mf39/f39/f39/f39/f39/' +
  'f/13IQ0gCCAN/VoCAAAgCCAN/VoCEAEgCCAN/VoCIAIgCCAN/VoCMAMgCEHAAGohCCAGQcAAaiEGIAYgB0kNAAsgByEAIARBCGohBCAFQQFqIQUgBSABSQ0ACwuUAQEGfwNAQQAhC0EAIQcg' +
  'ACAGaiEIIAQgBkF4cSABbGogBkEHcUECdGohCQNAIAgtAABBgAFrIQogCyAKaiELIAkgB0F8cUEDdGogB0EDcWogCjoAACAIIAJqIQggB0EBaiEHIAcgAUkNAAsgBSAGQQJ0aiALsiADIAZB' +
  'AnRqKgIAlDgCACAGQQFqIQYgBiACSQ0ACwt0AQJ7IAL9CQIAIQcgAv0JAgQhCCAGIAcgAP36ASAD/QAEAP3mASAIIAT9AAQA/eYB/eUB/eYBIAX9AAQA/eQB/QsEACAGIAcgAf36ASAD/QAE' +
  'EP3mASAIIAT9AAQQ/eYB/eUB/eYBIAX9AAQQ/eQB/QsEEAuSBgIIfwx7/QwBAAEAAQABAAEAAQABAAEAIRIgCEECdCERA0AgBCADQQN0aiEMIAAhCiABIQ5BACENIAkgD0ECdGohEANAIAQh' +
  'C/0MAAAAAAAAAAAAAAAAAAAAACEW/QwAAAAAAAAAAAAAAAAAAAAAIRf9DAAAAAAAAAAAAAAAAAAAAAAhGP0MAAAAAAAAAAAAAAAAAAAAACEZ/QwAAAAAAAAAAAAAAAAAAAAAIRr9DAAAAAAA' +
  'AAAAAAAAAAAAAAAhG/0MAAAAAAAAAAAAAAAAAAAAACEc/QwAAAAAAAAAAAAAAAAAAAAAIR0jAARAA0AgC/0ABAAhFCAL/QAEECEVIAr9CQIAIRMgFCATIBb9kwIhFiAVIBMgF/2TAiEXIAr9' +
  'CQIEIRMgFCATIBj9kwIhGCAVIBMgGf2TAiEZIAr9CQIIIRMgFCATIBr9kwIhGiAVIBMgG/2TAiEbIAr9CQIMIRMgFCATIBz9kwIhHCAVIBMgHf2TAiEdIApBEGohCiALQSBqIQsgCyAMSQ0A' +
  'CwUDQCAL/QAEACEUIAv9AAQQIRUgCv0JAgAhEyAWIBQgE/2SAiAS/boB/a4BIRYgFyAVIBP9kgIgEv26Af2uASEXIAr9CQIEIRMgGCAUIBP9kgIgEv26Af2uASEYIBkgFSAT/ZICIBL9ugH9' +
  'rgEhGSAK/QkCCCETIBogFCAT/ZICIBL9ugH9rgEhGiAbIBUgE/2SAiAS/boB/a4BIRsgCv0JAgwhEyAcIBQgE/2SAiAS/boB/a4BIRwgHSAVIBP9kgIgEv26Af2uASEdIApBEGohCiALQSBq' +
  'IQsgCyAMSQ0ACwsgFiAXIA4gBSAGIAcgEBAFIBAgEWohECAYIBkgDkEIaiAFIAYgByAQEAUgECARaiEQIBogGyAOQRBqIAUgBiAHIBAQBSAQIBFqIRAgHCAdIA5BGGogBSAGIAcgEBAFIBAg' +
  'EWohECAOQSBqIQ4gDUEEaiENIA0gAkkNAAsgDCEEIAVBIGohBSAGQSBqIQYgB0EgaiEHIA9BCGohDyAPIAhJDQALC58EAgl/C3sDQEEAIQoDQCAAIQwgDCABaiENIA0gAWohDiAOIAFqIQ8g' +
  'AiAKQQJ0aiEQIAQhC/0MAAAAAAAAAAAAAAAAAAAAACEV/QwAAAAAAAAAAAAAAAAAAAAAIRb9DAAAAAAAAAAAAAAAAAAAAAAhF/0MAAAAAAAAAAAAAAAAAAAAACEY/QwAAAAAAAAAAAAAAAAA' +
  'AAAAIRn9DAAAAAAAAAAAAAAAAAAAAAAhGv0MAAAAAAAAAAAAAAAAAAAAACEb/QwAAAAAAAAAAAAAAAAAAAAAIRwDQCAQ/QAEACETIBD9AAQQIRQgDP0JAgAhEiASIBMgFf2FAiEVIBIgFCAW' +
  '/YUCIRYgDf0JAgAhEiASIBMgF/2FAiEXIBIgFCAY/YUCIRggDv0JAgAhEiASIBMgGf2FAiEZIBIgFCAa/YUCIRogD/0JAgAhEiASIBMgG/2FAiEbIBIgFCAc/YUCIRwgDEEEaiEMIA1BBGoh' +
  'DSAOQQRqIQ4gD0EEaiEPIBAgA2ohECALQQFrIQsgCw0ACyAHIApBAnRqIREgESAV/QsEACARIBb9CwQQIBEgCGohESARIBf9CwQAIBEgGP0LBBAgESAIaiERIBEgGf0LBAAgESAa/QsEECAR' +
  'IAhqIREgESAb/QsEACARIBz9CwQQIApBCGohCiAKIAZJDQALIAAgAUECdGohACAHIAhBAnRqIQcgCUEEaiEJIAkgBUkNAAsLWgEEfwNAQQAhByAAIAhBAnRqIQYDQCAEIAcgAkkEfSAGKgIA' +
  'BUMAAAAACzgCACAGIAFqIQYgBEEEaiEEIAdBAWohByAHIAVJDQALIAhBAWohCCAIIANJDQALC4MEAgN/BnsgBEM7qrg/lP0TIQsDQCAAIANBAnRqIQYgACACQQJ0aiEFAkAgBSAGTw0AA0Ag' +
  'BUPK8knxOAIAIAVBBGohBSAFIAZJDQALC/0MyvJJ8crySfHK8knxyvJJ8SEIIAAhBQNAIAggBf0ABAD9jgIhCCAFQRBqIQUgBSAGSQ0ACyAIEAIhCP0MAAAAAAAAAAAAAAAAAAAAACEJIAAh' +
  'BQNAIAX9AAQAIAj95QEgC/3mAf0MAAD6wgAA+sIAAPrCAAD6wv2OAiEMIAz9DAAAQEsAAEBLAABASwAAQEv95AEhDSAMIA39DAAAQEsAAEBLAABASwAAQEv95QH95QEhDCANQRf9qwEgDP0M' +
  'cgSuOnIErjpyBK46cgSuOv0MKYYePCmGHjwphh48KYYePP2FAiAM/QxyW2M9cltjPXJbYz1yW2M9/YUCIAz9DIz8dT6M/HU+jPx1Poz8dT79hQIgDP0MFHIxPxRyMT8UcjE/FHIxP/2FAiAM' +
  '/QwBAIA/AQCAPwEAgD8BAIA//YUC/a4BIQogCSAK/eQBIQkgBSAK/QsEACAFQRBqIQUgBSAGSQ0AC/0MAACAPwAAgD8AAIA/AACAPyAJEAH95wEhCSAAIQUDQCAFIAX9AAQAIAn95gH9CwQA' +
  'IAVBEGohBSAFIAZJDQALIAYhACABQQFrIQEgAQ0ACwuzBAIBfwV7IAAgAUECdGohAgNAIAD9AAQAIQMgA/3gAf0M8wQ1P/MENT/zBDU/8wQ1P/3mASEE/QwAAIA/AACAPwAAgD8AAIA/IAT9' +
  'DAW6pz4Fuqc+BbqnPgW6pz79DAAAgD8AAIA/AACAPwAAgD/9hQL95wEhBSAEIAT95gH9DDuquL87qri/O6q4vzuquL/95gH9DAAA+sIAAPrCAAD6wgAA+sL9jgIhBiAG/QwAAEBLAABASwAA' +
  'QEsAAEBL/eQBIQcgBiAH/QwAAEBLAABASwAAQEsAAEBL/eUB/eUBIQYgB0EX/asBIAb9DHIErjpyBK46cgSuOnIErjr9DCmGHjwphh48KYYePCmGHjz9hQIgBv0McltjPXJbYz1yW2M9cltj' +
  'Pf2FAiAG/QyM/HU+jPx1Poz8dT6M/HU+/YUCIAb9DBRyMT8UcjE/FHIxPxRyMT/9hQIgBv0MAQCAPwEAgD8BAIA/AQCAP/2FAv2uASEGIAX9DCLchz8i3Ic/ItyHPyLchz/9DOMAur/jALq/' +
  '4wC6v+MAur/9hQIgBf0M4/C1P+PwtT/j8LU/4/C1P/2FAiAF/QyOqZG+jqmRvo6pkb6OqZG+/YUCIAX9DAZ5gj4GeYI+BnmCPgZ5gj79hQIgBf3mASAG/eYBIQUgACAE/QzzBDU/8wQ1P/ME' +
  'NT/zBDU//eYBIAUgA/0MAAAAAAAAAAAAAAAAAAAAAP2OAv2GAv0LBAAgAEEQaiEAIAAgAkkNAAsLwgICA38Ee0MAAIA/IAOzlf0TIQ0DQCAAIANBAnRqIQj9DAAAAAAAAAAAAAAAAAAAAAAh' +
  'DCAAIQcDQCAH/QAEACAB/QAEAP3kASEKIAcgCv0LBAAgDCAK/eQBIQwgAUEQaiEBIAdBEGohByAHIAhJDQALIAwQASAN/eYBIQv9DAAAAAAAAAAAAAAAAAAAAAAhDCAAIQcDQCAH/QAEACAL' +
  '/eUBIQogCiAKIAz9hQIhDCAHQRBqIQcgByAISQ0AC/0MAACAPwAAgD8AAIA/AACAPyAMEAEgDf3mASAG/RP95AH94wH95wEhDCAAIQdBACEJA0AgByAH/QAEACAL/eUBIAz95gEgBCAJav0A' +
  'BAAgBSAJav0ABAD9hQL9CwQAIAlBEGohCSAHQRBqIQcgByAISQ0ACyAIIQAgAkEBayECIAINAAsL';

/** The same source without relaxed instructions (test/adapters/plain-simd.ts), assembled: 4,963 bytes. */
export const ASSEMBLED_PLAIN =
  'AGFzbQEAAAABVApgAABgAXsBe2AFf39/f38AYAZ/f39/f38AYAd7e39/f39/AGAKf39/f39/f39/fwBgCX9/f39/f39/fwBgBX9/f399AGACf38AYAd/f39/f399AAISAQNlbnYGbWVtb3J5AgMBgI' +
  'AEAw0MAAEBAgMEBQYDBwgJBgYBfwFBAAsHVgkHaXNXaG9sZQMACHF1YW50aXNlAAMEcGFjawAEB3Byb2R1Y3QABghtdWx0aXBseQAHBHR1cm4ACAdzb2Z0bWF4AAkEZ2VsdQAKCW5vcm1hbGlzZQAL' +
  'CAEACvwkDJwBAP0Mf39/f39/f39/f39/f39/f0EI/YsBQQj9jAH9DP/////////////////////9DP8A/wD/AP8A/wD/AP8A/wD9Tv2VAf0Mf39/f39/f39/f39/f39/f0EI/YwB/Qz///////////' +
  '//////////QQj9jQH9lQH9jgH9fv0MAAAAAAAAAAAAAAAAAAAAAP2uAf0bAEH+/wNHJAALOgAgACAAIAD9DQgJCgsMDQ4PAAECAwQFBgf95AEhACAAIAAgAP0NBAUGBwABAgMMDQ4PCAkKC/3kAQs6' +
  'ACAAIAAgAP0NCAkKCwwNDg8AAQIDBAUGB/3rASEAIAAgACAA/Q0EBQYHAAECAwwNDg8ICQoL/esBC7YDAwR/BXsBfQNAIAAgAkECdGohB/0MAAAAAAAAAAAAAAAAAAAAACEJ/QwAAAAAAAAAAAAAAA' +
  'AAAAAAIQogACEGA0AgBv0ABAAhDSAJIA396gEhCSAKIA396wEhCiAGQRBqIQYgBiAHSQ0ACyAKEAIhCiAJ/eEBEAL94QEhCSAK/R8AIAn9HwCTQwAA/kKVQ2BCog2XIQ5DAACAPyAOlf0TIQsgCSAL' +
  '/eYB/eEB/WohDCAEIA44AgAgBCAM/R8AOAIEIAz9DAAAAD8AAAA/AAAAPwAAAD/95AEhDCADIAVBfHEgAmxqIAVBA3FBAnRqIQggACEGA0AgBv0ABAAgC/3mASAM/eQB/fgBIAb9AAQQIAv95gEgDP' +
  '3kAf34Af2FASAG/QAEICAL/eYBIAz95AH9+AEgBv0ABDAgC/3mASAM/eQB/fgB/YUB/Wb9DH9/f39/f39/f39/f39/f3/9dyENIAggDf1aAgAAIAggDf1aAhABIAggDf1aAiACIAggDf1aAjADIAhB' +
  'wABqIQggBkHAAGohBiAGIAdJDQALIAchACAEQQhqIQQgBUEBaiEFIAUgAUkNAAsLlAEBBn8DQEEAIQtBACEHIAAgBmohCCAEIAZBeHEgAWxqIAZBB3FBAnRqIQkDQCAILQAAQYABayEKIAsgCmohCy' +
  'AJIAdBfHFBA3RqIAdBA3FqIAo6AAAgCCACaiEIIAdBAWohByAHIAFJDQALIAUgBkECdGogC7IgAyAGQQJ0aioCAJQ4AgAgBkEBaiEGIAYgAkkNAAsLdAECeyAC/QkCACEHIAL9CQIEIQggBiAHIAD9' +
  '+gEgA/0ABAD95gEgCCAE/QAEAP3mAf3lAf3mASAF/QAEAP3kAf0LBAAgBiAHIAH9+gEgA/0ABBD95gEgCCAE/QAEEP3mAf3lAf3mASAF/QAEEP3kAf0LBBAL2gwCCH8Me/0MAQABAAEAAQABAAEAAQ' +
  'ABACESIAhBAnQhEQNAIAQgA0EDdGohDCAAIQogASEOQQAhDSAJIA9BAnRqIRADQCAEIQv9DAAAAAAAAAAAAAAAAAAAAAAhFv0MAAAAAAAAAAAAAAAAAAAAACEX/QwAAAAAAAAAAAAAAAAAAAAAIRj9' +
  'DAAAAAAAAAAAAAAAAAAAAAAhGf0MAAAAAAAAAAAAAAAAAAAAACEa/QwAAAAAAAAAAAAAAAAAAAAAIRv9DAAAAAAAAAAAAAAAAAAAAAAhHP0MAAAAAAAAAAAAAAAAAAAAACEdIwAEQANAIAv9AAQAIR' +
  'QgC/0ABBAhFSAK/QkCACETIBRBCP2LAUEI/YwBIBP9DP8A/wD/AP8A/wD/AP8A/wD9Tv2VASAUQQj9jAEgE0EI/Y0B/ZUB/Y4B/X4gFv2uASEWIBVBCP2LAUEI/YwBIBP9DP8A/wD/AP8A/wD/AP8A' +
  '/wD9Tv2VASAVQQj9jAEgE0EI/Y0B/ZUB/Y4B/X4gF/2uASEXIAr9CQIEIRMgFEEI/YsBQQj9jAEgE/0M/wD/AP8A/wD/AP8A/wD/AP1O/ZUBIBRBCP2MASATQQj9jQH9lQH9jgH9fiAY/a4BIRggFU' +
  'EI/YsBQQj9jAEgE/0M/wD/AP8A/wD/AP8A/wD/AP1O/ZUBIBVBCP2MASATQQj9jQH9lQH9jgH9fiAZ/a4BIRkgCv0JAgghEyAUQQj9iwFBCP2MASAT/Qz/AP8A/wD/AP8A/wD/AP8A/U79lQEgFEEI' +
  '/YwBIBNBCP2NAf2VAf2OAf1+IBr9rgEhGiAVQQj9iwFBCP2MASAT/Qz/AP8A/wD/AP8A/wD/AP8A/U79lQEgFUEI/YwBIBNBCP2NAf2VAf2OAf1+IBv9rgEhGyAK/QkCDCETIBRBCP2LAUEI/YwBIB' +
  'P9DP8A/wD/AP8A/wD/AP8A/wD9Tv2VASAUQQj9jAEgE0EI/Y0B/ZUB/Y4B/X4gHP2uASEcIBVBCP2LAUEI/YwBIBP9DP8A/wD/AP8A/wD/AP8A/wD9Tv2VASAVQQj9jAEgE0EI/Y0B/ZUB/Y4B/X4g' +
  'Hf2uASEdIApBEGohCiALQSBqIQsgCyAMSQ0ACwUDQCAL/QAEACEUIAv9AAQQIRUgCv0JAgAhEyAWIBRBCP2LAUEI/YwBIBP9DP8A/wD/AP8A/wD/AP8A/wD9Tv2VASAUQQj9jAEgE0EI/Y0B/ZUB/Y' +
  '4BIBL9ugH9rgEhFiAXIBVBCP2LAUEI/YwBIBP9DP8A/wD/AP8A/wD/AP8A/wD9Tv2VASAVQQj9jAEgE0EI/Y0B/ZUB/Y4BIBL9ugH9rgEhFyAK/QkCBCETIBggFEEI/YsBQQj9jAEgE/0M/wD/AP8A' +
  '/wD/AP8A/wD/AP1O/ZUBIBRBCP2MASATQQj9jQH9lQH9jgEgEv26Af2uASEYIBkgFUEI/YsBQQj9jAEgE/0M/wD/AP8A/wD/AP8A/wD/AP1O/ZUBIBVBCP2MASATQQj9jQH9lQH9jgEgEv26Af2uAS' +
  'EZIAr9CQIIIRMgGiAUQQj9iwFBCP2MASAT/Qz/AP8A/wD/AP8A/wD/AP8A/U79lQEgFEEI/YwBIBNBCP2NAf2VAf2OASAS/boB/a4BIRogGyAVQQj9iwFBCP2MASAT/Qz/AP8A/wD/AP8A/wD/AP8A' +
  '/U79lQEgFUEI/YwBIBNBCP2NAf2VAf2OASAS/boB/a4BIRsgCv0JAgwhEyAcIBRBCP2LAUEI/YwBIBP9DP8A/wD/AP8A/wD/AP8A/wD9Tv2VASAUQQj9jAEgE0EI/Y0B/ZUB/Y4BIBL9ugH9rgEhHC' +
  'AdIBVBCP2LAUEI/YwBIBP9DP8A/wD/AP8A/wD/AP8A/wD9Tv2VASAVQQj9jAEgE0EI/Y0B/ZUB/Y4BIBL9ugH9rgEhHSAKQRBqIQogC0EgaiELIAsgDEkNAAsLIBYgFyAOIAUgBiAHIBAQBSAQIBFq' +
  'IRAgGCAZIA5BCGogBSAGIAcgEBAFIBAgEWohECAaIBsgDkEQaiAFIAYgByAQEAUgECARaiEQIBwgHSAOQRhqIAUgBiAHIBAQBSAQIBFqIRAgDkEgaiEOIA1BBGohDSANIAJJDQALIAwhBCAFQSBqIQ' +
  'UgBkEgaiEGIAdBIGohByAPQQhqIQ8gDyAISQ0ACwu3BAIJfwt7A0BBACEKA0AgACEMIAwgAWohDSANIAFqIQ4gDiABaiEPIAIgCkECdGohECAEIQv9DAAAAAAAAAAAAAAAAAAAAAAhFf0MAAAAAAAA' +
  'AAAAAAAAAAAAACEW/QwAAAAAAAAAAAAAAAAAAAAAIRf9DAAAAAAAAAAAAAAAAAAAAAAhGP0MAAAAAAAAAAAAAAAAAAAAACEZ/QwAAAAAAAAAAAAAAAAAAAAAIRr9DAAAAAAAAAAAAAAAAAAAAAAhG/' +
  '0MAAAAAAAAAAAAAAAAAAAAACEcA0AgEP0ABAAhEyAQ/QAEECEUIAz9CQIAIRIgEiAT/eYBIBX95AEhFSASIBT95gEgFv3kASEWIA39CQIAIRIgEiAT/eYBIBf95AEhFyASIBT95gEgGP3kASEYIA79' +
  'CQIAIRIgEiAT/eYBIBn95AEhGSASIBT95gEgGv3kASEaIA/9CQIAIRIgEiAT/eYBIBv95AEhGyASIBT95gEgHP3kASEcIAxBBGohDCANQQRqIQ0gDkEEaiEOIA9BBGohDyAQIANqIRAgC0EBayELIA' +
  'sNAAsgByAKQQJ0aiERIBEgFf0LBAAgESAW/QsEECARIAhqIREgESAX/QsEACARIBj9CwQQIBEgCGohESARIBn9CwQAIBEgGv0LBBAgESAIaiERIBEgG/0LBAAgESAc/QsEECAKQQhqIQogCiAGSQ0A' +
  'CyAAIAFBAnRqIQAgByAIQQJ0aiEHIAlBBGohCSAJIAVJDQALC1oBBH8DQEEAIQcgACAIQQJ0aiEGA0AgBCAHIAJJBH0gBioCAAVDAAAAAAs4AgAgBiABaiEGIARBBGohBCAHQQFqIQcgByAFSQ0ACy' +
  'AIQQFqIQggCCADSQ0ACwuSBAIDfwZ7IARDO6q4P5T9EyELA0AgACADQQJ0aiEGIAAgAkECdGohBQJAIAUgBk8NAANAIAVDyvJJ8TgCACAFQQRqIQUgBSAGSQ0ACwv9DMrySfHK8knxyvJJ8crySfEh' +
  'CCAAIQUDQCAIIAX9AAQA/esBIQggBUEQaiEFIAUgBkkNAAsgCBACIQj9DAAAAAAAAAAAAAAAAAAAAAAhCSAAIQUDQCAF/QAEACAI/eUBIAv95gH9DAAA+sIAAPrCAAD6wgAA+sL96wEhDCAM/QwAAE' +
  'BLAABASwAAQEsAAEBL/eQBIQ0gDCAN/QwAAEBLAABASwAAQEsAAEBL/eUB/eUBIQwgDUEX/asBIAz9DHIErjpyBK46cgSuOnIErjr95gH9DCmGHjwphh48KYYePCmGHjz95AEgDP3mAf0McltjPXJb' +
  'Yz1yW2M9cltjPf3kASAM/eYB/QyM/HU+jPx1Poz8dT6M/HU+/eQBIAz95gH9DBRyMT8UcjE/FHIxPxRyMT/95AEgDP3mAf0MAQCAPwEAgD8BAIA/AQCAP/3kAf2uASEKIAkgCv3kASEJIAUgCv0LBA' +
  'AgBUEQaiEFIAUgBkkNAAv9DAAAgD8AAIA/AACAPwAAgD8gCRAB/ecBIQkgACEFA0AgBSAF/QAEACAJ/eYB/QsEACAFQRBqIQUgBSAGSQ0ACyAGIQAgAUEBayEBIAENAAsL1AQCAX8FeyAAIAFBAnRq' +
  'IQIDQCAA/QAEACEDIAP94AH9DPMENT/zBDU/8wQ1P/MENT/95gEhBP0MAACAPwAAgD8AAIA/AACAPyAE/QwFuqc+BbqnPgW6pz4Fuqc+/eYB/QwAAIA/AACAPwAAgD8AAIA//eQB/ecBIQUgBCAE/e' +
  'YB/Qw7qri/O6q4vzuquL87qri//eYB/QwAAPrCAAD6wgAA+sIAAPrC/esBIQYgBv0MAABASwAAQEsAAEBLAABAS/3kASEHIAYgB/0MAABASwAAQEsAAEBLAABAS/3lAf3lASEGIAdBF/2rASAG/Qxy' +
  'BK46cgSuOnIErjpyBK46/eYB/Qwphh48KYYePCmGHjwphh48/eQBIAb95gH9DHJbYz1yW2M9cltjPXJbYz395AEgBv3mAf0MjPx1Poz8dT6M/HU+jPx1Pv3kASAG/eYB/QwUcjE/FHIxPxRyMT8Ucj' +
  'E//eQBIAb95gH9DAEAgD8BAIA/AQCAPwEAgD/95AH9rgEhBiAF/Qwi3Ic/ItyHPyLchz8i3Ic//eYB/QzjALq/4wC6v+MAur/jALq//eQBIAX95gH9DOPwtT/j8LU/4/C1P+PwtT/95AEgBf3mAf0M' +
  'jqmRvo6pkb6OqZG+jqmRvv3kASAF/eYB/QwGeYI+BnmCPgZ5gj4GeYI+/eQBIAX95gEgBv3mASEFIAAgA/0MAAAAAAAAAAAAAAAAAAAAAP3rASAE/QzzBDU/8wQ1P/MENT/zBDU//eYBIAX95gH95Q' +
  'H9CwQAIABBEGohACAAIAJJDQALC8gCAgN/BHtDAACAPyADs5X9EyENA0AgACADQQJ0aiEI/QwAAAAAAAAAAAAAAAAAAAAAIQwgACEHA0AgB/0ABAAgAf0ABAD95AEhCiAHIAr9CwQAIAwgCv3kASEM' +
  'IAFBEGohASAHQRBqIQcgByAISQ0ACyAMEAEgDf3mASEL/QwAAAAAAAAAAAAAAAAAAAAAIQwgACEHA0AgB/0ABAAgC/3lASEKIAogCv3mASAM/eQBIQwgB0EQaiEHIAcgCEkNAAv9DAAAgD8AAIA/AA' +
  'CAPwAAgD8gDBABIA395gEgBv0T/eQB/eMB/ecBIQwgACEHQQAhCQNAIAcgB/0ABAAgC/3lASAM/eYBIAQgCWr9AAQA/eYBIAUgCWr9AAQA/eQB/QsEACAJQRBqIQkgB0EQaiEHIAcgCEkNAAsgCCEA' +
  'IAJBAWshAiACDQALCw==';

/** The parts of a model's shape that its file of weights does not tell. */
export interface EncoderShape {
  readonly vocabulary: number;
  readonly layers: number;
  /** Layout of the vocabulary's vectors: bytes with a step for each vector, or halves of bytes with a step for each 32 numbers. */
  readonly words: 'bytes' | 'halves';
}

/** Reads texts with a model in memory. */
export interface Encoder {
  /**
   * Computes the states of the last layer, `ENCODER_WIDTH` numbers for each piece.
   * @param ids numbers of 1 to 512 pieces, with the marks around them
   * @param room where to write them, `STATES_BYTES` long; absent: a new buffer
   * @throws RangeError for no pieces, too many, or one outside the vocabulary
   */
  run(ids: readonly number[], room?: ArrayBuffer): Float32Array;
}

/** A model in memory, with its reader on this thread. */
interface LoadedEncoder extends Encoder {
  /** Gives another thread of an isolated page access to the same weights, through `joinEncoder`. At most `SHARES` times. */
  share(): EncoderShare;
}
export const SHARES = 4;

/** Numbers in a state. */
export const ENCODER_WIDTH = 384;
/** Shape that all bundled models share: numbers of the inner layer, heads, pieces of the longest text. */
const INNER = 1536;
const HEADS = 12;
const POSITIONS = 512;
const EPSILON = 1e-12;
/** Numbers of a head; numbers that share a step where vectors lie in halves of bytes. */
const HEAD = ENCODER_WIDTH / HEADS;
const BLOCK = 32;

/** Matrices are padded to a multiple of this many rows and columns, so that loops need no edges. */
const ROWS = 4;
const COLUMNS = 8;
const FLOAT = 4;
const PAGE = 65_536;
/** Alignment of everything in the memory, bytes. */
const LINE = 64;

/** See `encoder.wat`; all addresses are in bytes. */
interface Arithmetic {
  quantise(x: number, rows: number, width: number, out: number, steps: number): void;
  pack(x: number, rows: number, columns: number, scales: number, out: number, totals: number): void;
  product(
    x: number,
    steps: number,
    rows: number,
    width: number,
    weights: number,
    scales: number,
    totals: number,
    biases: number,
    columns: number,
    out: number,
  ): void;
  multiply(
    a: number,
    aStride: number,
    b: number,
    bStride: number,
    width: number,
    rows: number,
    columns: number,
    out: number,
    outStride: number,
  ): void;
  turn(x: number, stride: number, rows: number, width: number, out: number, columns: number): void;
  softmax(x: number, rows: number, count: number, columns: number, factor: number): void;
  gelu(x: number, count: number): void;
  normalise(
    x: number,
    more: number,
    rows: number,
    width: number,
    weights: number,
    biases: number,
    epsilon: number,
  ): void;
}

/** Addresses of a matrix of `rows` inputs and `columns` outputs. */
interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly weights: number;
  readonly scales: number;
  readonly totals: number;
}
interface Norm {
  readonly weights: number;
  readonly biases: number;
}

/** Addresses of the weights. */
interface Weights extends EncoderShape {
  readonly vectors: number;
  readonly sizes: number;
  readonly positions: number;
  readonly firstNorm: Norm;
  readonly stack: readonly {
    readonly heads: Matrix;
    readonly headsBiases: number;
    readonly out: Matrix;
    readonly outNorm: Norm;
    readonly outBiases: number;
    readonly up: Matrix;
    readonly upBiases: number;
    readonly down: Matrix;
    readonly downNorm: Norm;
    readonly downBiases: number;
  }[];
}

/** Scratch memory of one reader, bytes, in the order in which it lies. */
const SCRATCH = {
  state: POSITIONS * ENCODER_WIDTH * FLOAT,
  next: POSITIONS * ENCODER_WIDTH * FLOAT,
  wide: POSITIONS * INNER * FLOAT,
  whole: POSITIONS * INNER,
  steps: POSITIONS * 2 * FLOAT,
  turned: HEAD * POSITIONS * FLOAT,
  attention: POSITIONS * POSITIONS * FLOAT,
} as const;
/** Size of the longest text's states, bytes. */
export const STATES_BYTES = SCRATCH.state;
const SCRATCH_BYTES = Object.values(SCRATCH).reduce((sum, size) => sum + size, 0);

/** A model in memory, in the form that another thread is given. */
export interface EncoderShare {
  readonly kind: EncoderKind;
  readonly memory: WebAssembly.Memory;
  readonly weights: Weights;
  /** Address of this reader's own scratch memory. */
  readonly scratch: number;
}

/** Build of the arithmetic, and kind of memory. */
export interface EncoderKind {
  /** Chromium since 114, Firefox since 145, Node since 21, no Safari yet. False: the older SIMD, which all of them have. */
  readonly relaxed: boolean;
  /** Other threads can read the same weights. Some browsers give such memory to isolated pages only. */
  readonly shared: boolean;
}

const SHARED = 3;
const OWN = 1;

function assembled({ relaxed, shared }: EncoderKind): Uint8Array<ArrayBuffer> {
  const code = Uint8Array.from(atob(relaxed ? ASSEMBLED : ASSEMBLED_PLAIN), (character) =>
    character.charCodeAt(0),
  );
  // The import of the memory says whether it is shared: a byte behind its name and the kind of import.
  const name = new TextEncoder().encode('memory');
  const at = code.findIndex((_, from) => name.every((byte, offset) => code[from + offset] === byte));
  code[at + name.length + 1] = shared ? SHARED : OWN;
  return code;
}

const hasSharedMemory = (): boolean => {
  try {
    return new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer.byteLength > 0;
  } catch (error) {
    log.debug('Memory cannot be shared: some browsers refuse it where the page is not isolated', error);
    return false;
  }
};

/** Finds the fastest kind that this browser can run; null where it has no SIMD at all. */
function kindHere(): EncoderKind | null {
  const shared = hasSharedMemory();
  for (const relaxed of [true, false]) {
    const kind = { relaxed, shared };
    if (WebAssembly.validate(assembled(kind))) return kind;
  }
  return null;
}

/** True if the faster build of the encoder runs here. */
export const knowsRelaxedSimd = (): boolean => kindHere()?.relaxed === true;

/** True if this browser can run the encoder: every browser with SIMD can. */
export const canEncode = (): boolean => kindHere() !== null;

const arithmeticIn = (memory: WebAssembly.Memory, kind: EncoderKind): Arithmetic =>
  new WebAssembly.Instance(new WebAssembly.Module(assembled(kind)), { env: { memory } })
    .exports as unknown as Arithmetic;

/**
 * Makes the encoder. Takes 60 ms, and as much memory as the weights and 7 MB more.
 * @param numbers the weights one after another, as `onnx/encoder_quantized.onnx_data` of a bundled model has them; not needed afterwards
 * @param kind for tests; otherwise the fastest that runs here
 * @throws RangeError where the weights are too short or too long for the shape
 */
export function createEncoder(
  numbers: ArrayBuffer,
  shape: EncoderShape,
  kind: EncoderKind | null = kindHere(),
): LoadedEncoder {
  if (!kind) throw new WebAssembly.CompileError('this browser knows no SIMD');
  const { vocabulary, layers, words } = shape;
  const [mine, others] = [numbers.byteLength + SCRATCH_BYTES, SHARES * SCRATCH_BYTES];
  const memory = new WebAssembly.Memory({
    initial: Math.ceil(mine / PAGE),
    // Sums kept for each column make the weights a little longer than their file.
    maximum: Math.ceil((mine + others + numbers.byteLength / 8) / PAGE) + 2,
    shared: kind.shared,
  });
  const { pack } = arithmeticIn(memory, kind);

  let used = LINE;
  const room = (size: number): number => {
    const at = used;
    used += Math.ceil(size / LINE) * LINE;
    const missing = Math.ceil((used - memory.buffer.byteLength) / PAGE);
    if (missing > 0) memory.grow(missing);
    return at;
  };
  const scratch = room(SCRATCH_BYTES);
  const { whole } = placesAt(scratch);

  let read = 0;
  const take = (size: number, to: number): number => {
    if (read + size > numbers.byteLength) throw new RangeError('the file of weights is too short');
    new Uint8Array(memory.buffer, to, size).set(new Uint8Array(numbers, read, size));
    read += size;
    return to;
  };
  const keep = (size: number): number => take(size, room(size));
  const floats = (count: number): number => keep(count * FLOAT);
  const norm = () => ({ weights: floats(ENCODER_WIDTH), biases: floats(ENCODER_WIDTH) });
  const matrix = (rows: number, columns: number): Matrix => {
    const raw = take(rows * columns, whole);
    const scales = floats(columns);
    const weights = room(rows * columns);
    const totals = room(columns * FLOAT);
    pack(raw, rows, columns, scales, weights, totals);
    return { rows, columns, weights, scales, totals };
  };

  const weights: Weights = {
    ...shape,
    vectors: keep(vocabulary * (words === 'bytes' ? ENCODER_WIDTH : ENCODER_WIDTH / 2)),
    sizes: keep(vocabulary * (words === 'bytes' ? FLOAT : (ENCODER_WIDTH / BLOCK) * 2)),
    positions: floats(POSITIONS * ENCODER_WIDTH),
    firstNorm: norm(),
    stack: Array.from({ length: layers }, () => ({
      heads: matrix(ENCODER_WIDTH, 3 * ENCODER_WIDTH),
      headsBiases: floats(3 * ENCODER_WIDTH),
      out: matrix(ENCODER_WIDTH, ENCODER_WIDTH),
      outNorm: norm(),
      outBiases: floats(ENCODER_WIDTH),
      up: matrix(ENCODER_WIDTH, INNER),
      upBiases: floats(INNER),
      down: matrix(INNER, ENCODER_WIDTH),
      downNorm: norm(),
      downBiases: floats(ENCODER_WIDTH),
    })),
  };
  if (read !== numbers.byteLength) throw new RangeError('the file of weights is too long');
  let shares = 0;
  return {
    ...joinEncoder({ kind, memory, weights, scratch }),
    share: () => {
      if (++shares > SHARES) throw new RangeError('no room for one more reader');
      return { kind, memory, weights, scratch: room(SCRATCH_BYTES) };
    },
  };
}

/** Addresses of the parts of a reader's scratch memory. */
function placesAt(scratch: number): Readonly<Record<keyof typeof SCRATCH, number>> {
  const [names, sizes] = [Object.keys(SCRATCH), Object.values(SCRATCH)];
  return Object.fromEntries(
    names.map((name, at) => [name, sizes.slice(0, at).reduce((sum, size) => sum + size, scratch)]),
  ) as Record<keyof typeof SCRATCH, number>;
}

/** Adds one more reader of a model that is in memory already, on the calling thread. */
export function joinEncoder({ kind, memory, weights, scratch }: EncoderShare): Encoder {
  const { vocabulary, words, vectors, sizes, positions, firstNorm, stack } = weights;
  const { quantise, product, multiply, turn, softmax, gelu, normalise } = arithmeticIn(memory, kind);
  const { state, next, wide, whole, steps, turned, attention } = placesAt(scratch);

  /** Writes the vectors of a piece and of its position to its row of `state`. */
  const look = (id: number, row: number) => {
    const place = row * ENCODER_WIDTH * FLOAT;
    const into = new Float32Array(memory.buffer, state + place, ENCODER_WIDTH);
    into.set(new Float32Array(memory.buffer, positions + place, ENCODER_WIDTH));
    if (words === 'bytes') {
      const vector = new Int8Array(memory.buffer, vectors + id * ENCODER_WIDTH, ENCODER_WIDTH);
      const [size = 0] = new Float32Array(memory.buffer, sizes + id * FLOAT, 1);
      for (let at = 0; at < ENCODER_WIDTH; at++)
        into[at] = (into[at] as number) + (vector[at] as number) * size;
      return;
    }
    const pairs = new Uint8Array(memory.buffer, vectors + (id * ENCODER_WIDTH) / 2, ENCODER_WIDTH / 2);
    const ofBlocks = new Uint16Array(
      memory.buffer,
      sizes + (id * ENCODER_WIDTH * 2) / BLOCK,
      ENCODER_WIDTH / BLOCK,
    );
    // The first sixteen of each 32 numbers lie in the lower halves of the bytes, the others in the upper ones.
    for (let block = 0; block < ENCODER_WIDTH / BLOCK; block++) {
      const size = float16(ofBlocks[block] as number);
      for (let half = 0, low = block * BLOCK; half < BLOCK / 2; half++, low++) {
        const pair = pairs[(block * BLOCK) / 2 + half] as number;
        const high = low + BLOCK / 2;
        into[low] = (into[low] as number) + ((pair & 15) - 8) * size;
        into[high] = (into[high] as number) + ((pair >> 4) - 8) * size;
      }
    }
  };

  const times = (x: number, rows: number, of: Matrix, biases: number, to: number) => {
    quantise(x, rows, of.rows, whole, steps);
    product(whole, steps, rows, of.rows, of.weights, of.scales, of.totals, biases, of.columns, to);
  };

  /** Computes attention: from the heads' questions, keys and values in `wide` to `next`. */
  const attend = (count: number, rows: number) => {
    const columns = Math.ceil(count / COLUMNS) * COLUMNS;
    const [stride, across] = [3 * ENCODER_WIDTH * FLOAT, columns * FLOAT];
    for (let head = 0; head < HEADS; head++) {
      const offset = head * HEAD * FLOAT;
      const [question, key, value] = [0, 1, 2].map(
        (third) => wide + third * ENCODER_WIDTH * FLOAT + offset,
      ) as [number, number, number];
      turn(key, stride, count, HEAD, turned, columns);
      multiply(question, stride, turned, across, HEAD, rows, columns, attention, across);
      softmax(attention, rows, count, columns, 1 / Math.sqrt(HEAD));
      multiply(attention, across, value, stride, count, rows, HEAD, next + offset, ENCODER_WIDTH * FLOAT);
    }
  };

  return {
    run: (ids, room) => {
      if (ids.length < 1 || ids.length > POSITIONS || ids.some((id) => !(id >= 0 && id < vocabulary)))
        throw new RangeError('pieces that this model does not know');
      const rows = Math.ceil(ids.length / ROWS) * ROWS;
      for (const area of [state, next]) new Float32Array(memory.buffer, area, rows * ENCODER_WIDTH).fill(0);
      ids.forEach(look);
      const add = ({ weights, biases }: Norm) =>
        normalise(state, next, rows, ENCODER_WIDTH, weights, biases, EPSILON);
      add(firstNorm);
      for (const layer of stack) {
        times(state, rows, layer.heads, layer.headsBiases, wide);
        attend(ids.length, rows);
        times(next, rows, layer.out, layer.outBiases, next);
        add(layer.outNorm);
        times(state, rows, layer.up, layer.upBiases, wide);
        gelu(wide, rows * INNER);
        times(wide, rows, layer.down, layer.downBiases, next);
        add(layer.downNorm);
      }
      const states = new Float32Array(memory.buffer, state, ids.length * ENCODER_WIDTH);
      if (!room) return states.slice();
      const written = new Float32Array(room, 0, states.length);
      written.set(states);
      return written;
    },
  };
}

/** Reads a number of 16 bits (IEEE 754 half precision); none is infinite here. */
function float16(bits: number): number {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}
