// Decides what memory leaves out altogether: excluded folders, and messages with a sensitive word if the person wants
// that. `domain/privacy` takes words out of texts.
import picomatch from 'picomatch/posix';
import { textOfFile } from '../chat/files.ts';
import type { Message } from '../chat/message.ts';
import { keywordPatterns } from '../privacy/detectors/keywords.ts';

/**
 * True if a sensitive word keeps the whole message out of memory, be it in a longer name,
 * a call, a result or an attached text.
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
 * True if a folder is excluded, or lies inside one that is. Patterns are globs over the whole path; a star for a whole
 * name reaches across folders, so a name between two of them means that folder anywhere. Back-slashes count as slashes.
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
