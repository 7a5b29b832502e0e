// Finds the words in parts of an unknown kind.

/** Fields that name, number, time or sort something: their values are no person's words. */
const TECHNICAL =
  /^(?:type|kind|id|uuid|role|status|state|flag|flags|mime|format|language|version|model|signature|hash|cursor)$|(?:_|^)(?:id|ids|uuid|at|time|timestamp|type|url|uri|slug|hash|token|tokens)$|(?:Id|At|Type|Url|Time)$/;
/** Fields whose value counts as words even if it is a single one. */
const SPOKEN =
  /^(?:text|content|title|summary|message|words|thinking|caption|description|body|label|name|query|output|input)$/;
const [MOST, DEEPEST] = [20_000, 12];

/**
 * Returns the words in a part of an unknown kind, one text a line, at most 20,000 characters; empty for none. A text
 * counts if it has several words, or is in a script without spaces, or is in a field for words.
 */
export function wordsOfUnknown(original: unknown): string {
  const found: string[] = [];
  let left = MOST;
  const read = (value: unknown, name: string, depth: number): void => {
    if (left <= 0 || depth > DEEPEST) return;
    if (typeof value === 'string') {
      const text = value.trim();
      const says = SPOKEN.test(name)
        ? /\p{L}/u.test(text)
        : /\p{L}\s+\S*\p{L}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u.test(
            text,
          );
      if (!says || /^data:[^,\s]*,/i.test(text)) return;
      found.push(text.slice(0, left));
      left -= text.length + 1;
    } else if (Array.isArray(value)) for (const one of value) read(one, name, depth + 1);
    else if (typeof value === 'object' && value !== null)
      for (const [key, one] of Object.entries(value)) if (!TECHNICAL.test(key)) read(one, key, depth + 1);
  };
  read(original, '', 0);
  return found.join('\n');
}
