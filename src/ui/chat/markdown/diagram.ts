// Mermaid, loaded when the first diagram is asked for.
import mermaid from 'mermaid';

/**
 * Returns the SVG of a diagram and the width it was drawn for, px (null if it has none). Throws
 * the parser's message for a bad source.
 */
export async function drawDiagram(
  id: string,
  source: string,
  dark: boolean,
): Promise<{ readonly svg: string; readonly width: number | null }> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    // Words as SVG text: a picture shows no HTML in every browser.
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    suppressErrorRendering: true,
    theme: dark ? 'dark' : 'neutral',
    fontFamily: 'system-ui, sans-serif',
  });
  const { svg } = await mermaid.render(id, source);
  // It is drawn to fill whatever room there is; a small diagram is not to be blown up.
  const width = Number(/\sviewBox="\S+ \S+ (\S+) /.exec(svg)?.[1]);
  return { svg, width: width > 0 ? Math.ceil(width) : null };
}
