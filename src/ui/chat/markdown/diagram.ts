// Mermaid, loaded when the first diagram is asked for.
import mermaid from 'mermaid';

/** The SVG of a diagram. Throws with the parser's words where the source is no diagram. */
export async function drawDiagram(id: string, source: string, dark: boolean): Promise<string> {
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
  return svg;
}
