// What must not be remembered at all: conversations from excluded folders, and messages with a sensitive word where the person wants that.
// What is taken out of texts: domain/privacy.
import picomatch from 'picomatch/posix';
import { textOfFile } from '../chat/files.ts';
import type { Message } from '../chat/message.ts';
import { keywordPatterns } from '../privacy/detectors/keywords.ts';

/**
 * Whether the person wants nothing of this message to be remembered: one of their sensitive words stands in it, in a longer name, a call, a
 * result or an attached text, too.
 */
export function isSkipped(
  { parts }: Pick<Message, 'parts'>,
  privacy: { readonly skip_sensitive_messages: boolean; readonly sensitive_keywords: readonly string[] },
): boolean {
  const named = privacy.skip_sensitive_messages ? keywordPatterns(privacy.sensitive_keywords) : null;
  if (!named) return false;
  return parts.some((part) =>
    named.mentioned.test(
      part.type === 'file' ? `${part.name ?? ''} ${textOfFile(part) ?? ''}` : JSON.stringify(part),
    ),
  );
}

const globs = new Map<string, (path: string) => boolean>();

/**
 * True when a conversation's folder is one of those that are not indexed, or lies inside one. Patterns are globs over the whole path;
 * a star that stands for a whole name reaches across folders, so a name between two of them means that folder wherever it is.
 * Back-slashes count as slashes.
 */
export function isExcluded(workDir: string | null, patterns: readonly string[]): boolean {
  if (!workDir) return false;
  const slashed = workDir.replaceAll('\\', '/').replace(/(?<!\/)\/+$/, '');
  return patterns.some((pattern) => {
    let matches = globs.get(pattern);
    if (!matches) {
      const clean = pattern.replaceAll('\\', '/').replace(/^~(?=\/)/, '**');
      // `*` alone stops at a slash in a glob; "*/secret-project/*" means any folder of that name, however deep.
      const deep = clean.replace(/(^|\/)\*(?=\/|$)/g, '$1**');
      const anywhere = deep.includes('/') ? deep.replace(/(?<!\/)\/+$/, '') : `**/${deep}`;
      matches = picomatch([anywhere, `${anywhere}/**`], { dot: true, nocase: true });
      if (globs.size > 1000) globs.clear();
      globs.set(pattern, matches);
    }
    return matches(slashed) || matches(`${slashed}/`) || matches(slashed.replace(/^\/+|^[a-z]:\/+/i, ''));
  });
}
