// Finds the public functions of the source that have no docstring (CONTRIBUTING.md).
import { commentsOf } from './comments.ts';
import type { SourceFile } from './source.ts';

interface Statement {
  readonly type: string;
  readonly start: number;
  readonly declaration?: Declaration | null;
  readonly specifiers?: readonly { readonly local: { readonly name?: string } }[];
}
interface Declaration extends Statement {
  readonly id?: { readonly name: string } | null;
  readonly declarations?: readonly {
    readonly id: { readonly name?: string };
    readonly init: { readonly type: string } | null;
  }[];
}

const FUNCTION = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|TSDeclareFunction)$/;

/**
 * Exported functions, and constants that are functions, without a docstring. React
 * components are left out: their props say it.
 */
export function undocumentedFunctions(file: SourceFile): string[] {
  const { path, text, program } = file;
  const { body } = program as typeof program & { body: readonly Statement[] };
  const ends = commentsOf(file)
    .filter(({ start }) => text.startsWith('/**', start))
    .map(({ end }) => end);
  // Directives of the linter may stand between.
  const hasDocstring = ({ start }: Statement): boolean =>
    ends.some((end) => end <= start && /^\s*(?:\/\/[^\n]*\n\s*)*$/.test(text.slice(end, start)));
  const listed = new Set(
    body
      .filter(({ type }) => type === 'ExportNamedDeclaration')
      .flatMap(({ specifiers }) => specifiers?.map(({ local }) => local.name) ?? []),
  );
  // Overloads share one name, and one docstring.
  const documented = new Map<string, boolean>();
  for (const statement of body) {
    const isExport = /^Export(?:Named|Default)Declaration$/.test(statement.type);
    for (const name of functionNames(isExport ? statement.declaration : statement))
      if (isExport || listed.has(name)) documented.set(name, documented.get(name) || hasDocstring(statement));
  }
  return [...documented]
    .filter(([name, has]) => !has && !(path.endsWith('.tsx') && /^[A-Z]/.test(name)))
    .map(([name]) => `${path} ${name}`);
}

function functionNames(declaration: Declaration | null | undefined): string[] {
  if (!declaration) return [];
  if (FUNCTION.test(declaration.type)) return [declaration.id?.name ?? 'default'];
  return (declaration.declarations ?? [])
    .filter(({ init }) => init && FUNCTION.test(init.type))
    .map(({ id }) => id.name ?? '');
}
