// Languages of code highlighting: the common ones, each loaded at first use. Replaces Shiki's full bundle (alias in
// vite.config.ts), whose three hundred languages would make every device keep megabytes for offline use.
import { createBundledHighlighter } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { log } from '../../domain/base/log.ts';

/** Maps a language id to the function that loads its grammar. */
export const bundledLanguages = {
  astro: () => import('shiki/langs/astro.mjs'),
  bat: () => import('shiki/langs/bat.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  clojure: () => import('shiki/langs/clojure.mjs'),
  cmake: () => import('shiki/langs/cmake.mjs'),
  cpp: () => import('shiki/langs/cpp.mjs'),
  csharp: () => import('shiki/langs/csharp.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  dart: () => import('shiki/langs/dart.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  docker: () => import('shiki/langs/docker.mjs'),
  elixir: () => import('shiki/langs/elixir.mjs'),
  erlang: () => import('shiki/langs/erlang.mjs'),
  fsharp: () => import('shiki/langs/fsharp.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  graphql: () => import('shiki/langs/graphql.mjs'),
  groovy: () => import('shiki/langs/groovy.mjs'),
  haskell: () => import('shiki/langs/haskell.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  http: () => import('shiki/langs/http.mjs'),
  ini: () => import('shiki/langs/ini.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  json5: () => import('shiki/langs/json5.mjs'),
  jsonc: () => import('shiki/langs/jsonc.mjs'),
  jsx: () => import('shiki/langs/jsx.mjs'),
  julia: () => import('shiki/langs/julia.mjs'),
  kotlin: () => import('shiki/langs/kotlin.mjs'),
  latex: () => import('shiki/langs/latex.mjs'),
  less: () => import('shiki/langs/less.mjs'),
  lua: () => import('shiki/langs/lua.mjs'),
  make: () => import('shiki/langs/make.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  mdx: () => import('shiki/langs/mdx.mjs'),
  nginx: () => import('shiki/langs/nginx.mjs'),
  nix: () => import('shiki/langs/nix.mjs'),
  'objective-c': () => import('shiki/langs/objective-c.mjs'),
  ocaml: () => import('shiki/langs/ocaml.mjs'),
  perl: () => import('shiki/langs/perl.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  powershell: () => import('shiki/langs/powershell.mjs'),
  prisma: () => import('shiki/langs/prisma.mjs'),
  proto: () => import('shiki/langs/proto.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  r: () => import('shiki/langs/r.mjs'),
  regexp: () => import('shiki/langs/regexp.mjs'),
  ruby: () => import('shiki/langs/ruby.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  sass: () => import('shiki/langs/sass.mjs'),
  scala: () => import('shiki/langs/scala.mjs'),
  scss: () => import('shiki/langs/scss.mjs'),
  shellscript: () => import('shiki/langs/shellscript.mjs'),
  shellsession: () => import('shiki/langs/shellsession.mjs'),
  solidity: () => import('shiki/langs/solidity.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  svelte: () => import('shiki/langs/svelte.mjs'),
  swift: () => import('shiki/langs/swift.mjs'),
  terraform: () => import('shiki/langs/terraform.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  viml: () => import('shiki/langs/viml.mjs'),
  vue: () => import('shiki/langs/vue.mjs'),
  wasm: () => import('shiki/langs/wasm.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
  zig: () => import('shiki/langs/zig.mjs'),
};
type Language = keyof typeof bundledLanguages;

const ALIASES: Partial<Record<Language, readonly string[]>> = {
  bat: ['batch', 'cmd'],
  clojure: ['clj'],
  cpp: ['c++'],
  csharp: ['c#', 'cs'],
  docker: ['dockerfile'],
  elixir: ['ex'],
  erlang: ['erl'],
  fsharp: ['f#', 'fs'],
  graphql: ['gql'],
  groovy: ['gradle'],
  haskell: ['hs'],
  ini: ['properties'],
  javascript: ['js', 'mjs', 'cjs'],
  julia: ['jl'],
  kotlin: ['kt'],
  latex: ['tex'],
  make: ['makefile'],
  markdown: ['md'],
  'objective-c': ['objc'],
  perl: ['pl'],
  powershell: ['ps1'],
  proto: ['protobuf'],
  python: ['py'],
  regexp: ['regex'],
  ruby: ['rb'],
  rust: ['rs'],
  shellscript: ['bash', 'sh', 'shell', 'zsh'],
  shellsession: ['console'],
  terraform: ['tf'],
  typescript: ['ts', 'mts', 'cts'],
  viml: ['vim'],
  yaml: ['yml'],
};

/** The same with the aliases that people write after a code fence. */
export const bundledLanguagesInfo = (Object.keys(bundledLanguages) as Language[]).map((id) => ({
  id,
  name: id,
  aliases: ALIASES[id] ?? [],
}));

const createAtOnce = createBundledHighlighter({
  langs: bundledLanguages,
  themes: {
    'github-light-high-contrast': () => import('shiki/themes/github-light-high-contrast.mjs'),
    'github-dark': () => import('shiki/themes/github-dark.mjs'),
  },
  engine: () => createJavaScriptRegexEngine({ forgiving: true }),
});

/** Delays before a failed grammar is requested again, ms. */
const AGAIN_AFTER_MS = [500, 2_000, 8_000, 30_000];

/** Highlights a line for 5,000 ms at most, and not at all from 20,000 characters: such files are generated. */
const LIMITS = { tokenizeTimeLimit: 5_000, tokenizeMaxLineLength: 20_000 };

/**
 * Shiki's own highlighter, without two states that would last as long as the page: a grammar that failed is requested
 * again, and a line gets more than half a second, which a busy machine needs to compile a language's patterns.
 */
export const createHighlighter: typeof createAtOnce = async (options) => {
  const patient = async () => {
    const highlighter = await createAtOnce(options);
    const codeToTokens: typeof highlighter.codeToTokens = (code, asked) =>
      highlighter.codeToTokens(code, { ...LIMITS, ...asked });
    return { ...highlighter, codeToTokens };
  };
  for (const wait of AGAIN_AFTER_MS)
    try {
      return await patient();
    } catch (error) {
      log.warn('The colours of code could not be loaded; they are asked for again', error);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  return await patient();
};
