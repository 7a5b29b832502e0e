// Marks of a message that a learnt head weighs beside its vector: who is addressed, who speaks, and words for others.

/** Words of a message in lower case: English, each Han character, question marks, signs before words of others. */
export const SAID_WORDS = /[a-z]+(?:'[a-z]+)?|\d+|[?？]|\p{Script=Han}|[:："“‘「]/gu;
/** In this order the head weighs them. */
export const CALLING_CUES: readonly RegExp[] = [
  /\b(?:you|your|u|ur)\b|你|您/iu,
  /\b(?:i|my|me)\b|我(?!们)/iu,
  /\b(?:we|our|us)\b|我们|咱/iu,
  /["“”‘「『`<>{}=]|[:：]./u,
  /[?？]\s*$/u,
];
