// The calendar as it is drawn: every month has its name within the picture, whatever the day and the width.
import * as Plot from '@observablehq/plot';
import i18next from 'i18next';
import { expect, it } from 'vitest';
import { setLanguage } from '../../../src/ui/i18n/index.ts';
import { stretchOf } from '../../../src/ui/memory/calendar.ts';
import { calendarPlot } from '../../../src/ui/memory/calendar-plot.ts';

it.each([360, 640])(
  'names every month of the last year once, also where a row begins within one, %s px',
  async (width) => {
    await setLanguage('en');
    const t = i18next.getFixedT('en', 'memory');
    const all = Array.from({ length: 12 }, (_, month) =>
      new Intl.DateTimeFormat('en', { month: 'short' }).format(new Date(2026, month, 1)),
    );
    const lacking: string[] = [];
    for (let month = 0; month < 12; month++) {
      const stretch = stretchOf(null, new Date(2026, month, 30).getTime());
      const options = calendarPlot({ days: new Map(), layer: 'written', stretch, width, t });
      const figure = Plot.plot({ width, ...options });
      const names = [...figure.querySelectorAll('text')].map(({ textContent }) => textContent ?? '');
      lacking.push(...all.filter((name) => !names.includes(name)).map((name) => `${name} of ${month + 1}`));
    }
    expect(lacking).toEqual([]);
  },
);

it.each(['en', 'zh'] as const)('names no month beyond its right edge, %s', async (language) => {
  await setLanguage(language);
  const t = i18next.getFixedT(language, 'memory');
  const beyond: string[] = [];
  for (const width of [260, 288, 360, 640])
    for (let month = 0; month < 12; month++) {
      const stretch = stretchOf(null, new Date(2026, month, 20).getTime());
      const options = calendarPlot({ days: new Map(), layer: 'written', stretch, width, t });
      const figure = Plot.plot({ width, style: { fontSize: '11px', overflow: 'visible' }, ...options });
      document.body.append(figure);
      const edge = figure.getBoundingClientRect().right;
      const names = [...figure.querySelectorAll('text')].filter(
        (text) => text.getBoundingClientRect().width > 0,
      );
      expect(names.length).toBeGreaterThan(8);
      for (const name of names)
        if (name.getBoundingClientRect().right > edge)
          beyond.push(`${name.textContent} of ${month + 1} at ${width}`);
      figure.remove();
    }
  expect(beyond).toEqual([]);
});
