// Settings screen: sections beside their content if there is room, else one after the
// other. Every section has an address.
import { ArrowLeft, ChevronRight } from 'lucide-react';
import { type ComponentType, useEffect, useLayoutEffect, useRef } from 'react';
import { useFocusFallback } from '../hooks/focus-fallback.ts';
import { useNavigation } from '../hooks/navigation.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes, IconButton } from '../shell/controls.tsx';
import { Header } from '../shell/header.tsx';
import { AboutSection } from './about-section.tsx';
import { AppearanceSection } from './appearance-section.tsx';
import { ContextSection } from './context-section.tsx';
import { CostsSection } from './costs-section.tsx';
import { MemorySection } from './memory-section.tsx';
import { ModelsSection } from './models-section.tsx';
import { PrivacySection } from './privacy-section.tsx';
import { PromptsSection } from './prompts-section.tsx';
import { SECTION_IDS, type SectionId, sectionOf } from './sections.ts';
import { ShortcutsSection } from './shortcuts-section.tsx';
import { StorageSection } from './storage-section.tsx';
import { SyncSection } from './sync-section.tsx';

const SECTIONS: Record<SectionId, ComponentType> = {
  models: ModelsSection,
  costs: CostsSection,
  prompts: PromptsSection,
  memory: MemorySection,
  context: ContextSection,
  sync: SyncSection,
  storage: StorageSection,
  privacy: PrivacySection,
  appearance: AppearanceSection,
  shortcuts: ShortcutsSection,
  about: AboutSection,
};

/**
 * `section`: from the address; for an unknown one, phones show the list of sections
 * and other screens the first section.
 */
export function SettingsScreen({ section }: { section: string }) {
  const { t } = useTranslation('settings');
  const navigation = useNavigation();
  const chosen = sectionOf(section);
  const shown = chosen ?? 'models';
  const Section = SECTIONS[shown];
  const page = useRef<HTMLDivElement>(null);
  useFocusFallback(page);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each section starts at its top
  useEffect(() => {
    page.current?.scrollTo(0, 0);
  }, [shown]);
  // On phones the pressed link disappears when the view changes, so moves the focus to the
  // section's title, and back to the link.
  const title = useRef<HTMLHeadingElement>(null);
  const list = useRef<HTMLElement>(null);
  const before = useRef(chosen);
  useLayoutEffect(() => {
    const from = before.current;
    before.current = chosen;
    const now = document.activeElement;
    if (from === chosen || (now !== document.body && now?.checkVisibility())) return;
    const line =
      chosen || !from ? null : list.current?.querySelector<HTMLElement>(`[data-section="${from}"]`);
    (line ?? title.current)?.focus({ preventScroll: line === null });
  }, [chosen]);
  return (
    <div className="@container/settings flex min-h-0 flex-1 flex-col">
      <Header>
        {chosen && (
          <IconButton
            label={t('back')}
            icon={<ArrowLeft size={17} aria-hidden />}
            onClick={() => navigation.openScreen('settings')}
            className="@3xl/settings:hidden"
          />
        )}
        <h1 ref={title} tabIndex={-1} className="truncate font-semibold">
          <span className={classes(chosen && '@max-3xl/settings:hidden')}>{t('title')}</span>
          {chosen && <span className="@3xl/settings:hidden">{t(`section.${chosen}.title`)}</span>}
        </h1>
      </Header>
      <div className="flex min-h-0 flex-1">
        <nav
          ref={list}
          aria-label={t('title')}
          className={classes(
            'w-48 shrink-0 overflow-y-auto px-3 py-2 @max-3xl/settings:w-full @max-3xl/settings:pb-24',
            chosen && '@max-3xl/settings:hidden',
          )}
        >
          <ul className="space-y-0.5 @max-3xl/settings:divide-y @max-3xl/settings:divide-line @max-3xl/settings:space-y-0">
            {SECTION_IDS.map((id) => (
              <li key={id}>
                <button
                  type="button"
                  data-section={id}
                  aria-current={id === shown ? 'page' : undefined}
                  onClick={() => navigation.openScreen('settings', id)}
                  className="flex min-h-8 w-full items-center gap-2 rounded-sm px-2.5 py-1 text-left text-ink-2 hover:bg-fill hover:text-ink @max-3xl/settings:py-2 @3xl/settings:aria-[current]:bg-fill @3xl/settings:aria-[current]:font-medium @3xl/settings:aria-[current]:text-ink pointer-coarse:min-h-11 @max-3xl/settings:min-h-14 @max-3xl/settings:text-ink"
                >
                  <span className="min-w-0 flex-1">
                    <span className="block truncate">{t(`section.${id}.title`)}</span>
                    <span className="block text-ink-3 text-xs @3xl/settings:hidden">
                      {t(`section.${id}.lead`)}
                    </span>
                  </span>
                  <ChevronRight size={15} aria-hidden className="shrink-0 text-ink-3 @3xl/settings:hidden" />
                </button>
              </li>
            ))}
          </ul>
        </nav>
        <div
          ref={page}
          className={classes(
            'relative min-w-0 flex-1 overflow-y-auto overscroll-contain',
            !chosen && '@max-3xl/settings:hidden',
          )}
        >
          <div className="@container w-full max-w-168 px-4 pt-2 pb-24 @max-3xl/settings:mx-auto @3xl/settings:px-8">
            <h2 className="font-semibold text-xl tracking-tight @max-3xl/settings:sr-only">
              {t(`section.${shown}.title`)}
            </h2>
            <p className="mt-0.5 mb-6 text-ink-2">{t(`section.${shown}.lead`)}</p>
            <div className="space-y-8">
              <Section key={shown} />
            </div>
          </div>
        </div>
      </div>
    </div>
  );
}
