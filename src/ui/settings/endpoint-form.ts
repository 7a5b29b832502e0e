// State of an endpoint's form: everything typed, and what can be done with it.
import { type FormEvent, useEffect, useReducer, useRef, useState } from 'react';
import { type ConnectionReport, type Endpoint, hostOf } from '../../adapters/models/chat-model.ts';
import { CUSTOM, type EndpointPreset } from '../../adapters/models/presets.ts';
import { isAbort, type Problem, toProblem } from '../../domain/base/errors.ts';
import { ignore } from '../../domain/base/log.ts';
import type { Price } from '../../domain/context/budget.ts';
import { endpointKey } from '../../services/settings/keys.ts';
import { OFFER_ALL } from '../../services/settings/settings.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { nameFor, typedName } from './endpoint-name.ts';
import {
  isRefusal,
  type ParameterRefusal,
  type ParameterWords,
  parametersFrom,
  parameterWords,
} from './endpoint-parameters.ts';
import { type EndpointDraft, plainLabel, presetOf } from './endpoint-presets.ts';
import { type PriceWords, priceFrom, priceWords } from './endpoint-price.ts';

interface FormState {
  readonly label: string;
  readonly baseUrl: string;
  readonly key: string;
  /** Origin that the kept key belongs to. */
  readonly kept: string | null;
  readonly models: readonly string[];
  readonly offered: readonly string[];
  readonly listed: readonly string[] | undefined;
  /** Prices from the endpoint's list. */
  readonly prices: Readonly<Record<string, Price>>;
  /** A name typed by the person stays, whatever list arrives meanwhile. */
  readonly model: { readonly name: string; readonly byHand: boolean };
  readonly test: AbortController | ConnectionReport | null;
  /** Address and key of the last test. */
  readonly tried: string | null;
  readonly problem: Problem | null;
  readonly missing: 'url' | 'name' | 'price' | 'model' | null;
  readonly priced: PriceWords;
  readonly tuned: ParameterWords;
  readonly untuned: ParameterRefusal | null;
  readonly saving: boolean;
}
type Change = Partial<FormState> | ((now: FormState) => Partial<FormState>);
const changed = (state: FormState, change: Change): FormState => ({
  ...state,
  ...(typeof change === 'function' ? change(state) : change),
});

/** Returns an unused id that names its preset. */
function freeId(preset: EndpointPreset, taken: readonly Endpoint[]): string {
  for (let at = 1; ; at++) {
    const id = at === 1 ? preset.id : `${preset.id}-${at}`;
    if (!taken.some((endpoint) => endpoint.id === id)) return id;
  }
}

/** Initial state of the form. `answering`: the endpoint's model that answers now. */
const firstState = (
  before: Endpoint | null,
  preset: EndpointPreset | undefined,
  named: string,
  answering: string,
): FormState => ({
  label: named,
  baseUrl: before?.baseUrl ?? preset?.baseUrl ?? '',
  key: '',
  kept: null,
  models: before?.models ?? [],
  offered: before?.models ?? [],
  listed: before?.listed,
  prices: before?.prices ?? {},
  model: { name: answering, byHand: false },
  test: null,
  tried: null,
  problem: null,
  missing: null,
  priced: priceWords(before?.price),
  tuned: parameterWords(before?.parameters),
  untuned: null,
  saving: false,
});

/**
 * State after a list of models arrived. `isOtherServer`: the list is from another server and
 * says nothing about the earlier choice.
 */
function withList(
  now: FormState,
  models: readonly string[],
  { isOtherServer, isNew }: { readonly isOtherServer: boolean; readonly isNew: boolean },
): Partial<FormState> {
  const here = isOtherServer ? [] : now.offered;
  const few = models.length > 0 && models.length <= OFFER_ALL;
  const keeps = now.model.byHand || models.includes(now.model.name);
  // Visibly chooses a model that can answer: a person who connects one wants an answer.
  const chosen =
    isNew && few
      ? { name: models[0] ?? '', byHand: false }
      : here.length === 0
        ? { name: '', byHand: false }
        : now.model;
  return {
    models: [...new Set([...models, ...here])],
    offered: here.length === 0 && models.length <= OFFER_ALL ? models : here,
    model: keeps ? now.model : chosen,
    missing: now.missing === 'model' && (keeps || chosen.name !== '') ? null : now.missing,
  };
}

/**
 * State after the model's field is left: an empty one was only passed through, so a
 * list that came meanwhile may choose.
 */
export function withFieldLeft(now: FormState, { isNew }: { readonly isNew: boolean }): Partial<FormState> {
  if (now.model.name.trim() !== '') return {};
  const few = now.models.length > 0 && now.models.length <= OFFER_ALL;
  return { model: { name: (isNew && few ? now.models[0] : undefined) ?? '', byHand: false } };
}

const plainAddress = (typed: string): string => typed.trim().replace(/(?<!\/)\/+$/, '');

/** The test, unless it was of another address or key than the fields have now. */
const reportOn = ({ test, tried, key }: FormState, url: string): FormState['test'] =>
  test instanceof AbortController || tried === `${url} ${key}` ? test : null;

const outcomeOf = (test: FormState['test']): ConnectedModel['test'] =>
  test === null || !('ok' in test) ? 'none' : test.ok ? 'worked' : 'failed';

/** Drops the prices of models that are not offered; undefined if none are left. */
function offeredPrices({ prices, offered, model }: FormState): FormState['prices'] | undefined {
  const kept = Object.entries(prices).filter(
    ([name]) => offered.includes(name) || name === model.name.trim(),
  );
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/** A model that was just connected, and the result of its test: works, fails, or none. */
export interface ConnectedModel {
  readonly model: string;
  readonly test: 'worked' | 'failed' | 'none';
}

/**
 * Holds the form of one endpoint: its state, its test, saving it. `onClose` gets the connected model only
 * if a new endpoint was saved with one.
 */
export function useEndpointForm(draft: EndpointDraft, onClose: (connected?: ConnectedModel) => void) {
  const { settings, chat } = useApp();
  const { endpoints, chosen } = useReadable(settings.connections);
  const before = draft.kind === 'edit' ? draft.endpoint : null;
  const preset = draft.kind === 'new' ? draft.preset : presetOf(draft.endpoint);
  // Checks for a free id now, because another tab may have connected an endpoint since the dialog opened.
  const id = before?.id ?? freeId(preset ?? CUSTOM, endpoints);
  const named = before ? typedName(before) : preset && preset.id !== 'custom' ? plainLabel(preset) : '';
  const inUse = chosen?.endpointId === id ? chosen.model : '';
  const [first] = useState(() => firstState(before, preset, named, inUse));
  const [state, change] = useReducer(changed, first);
  const given = first.baseUrl;
  const listedAt = useRef(before?.baseUrl);
  useEffect(() => {
    if (before)
      ignore(
        settings.keyOrigin(endpointKey(before.id)).then((kept) => change({ kept })),
        'without it the form says nothing of a kept key',
      );
  }, [settings, before]);
  // Cancels a test whose result is no longer needed.
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const url = plainAddress(state.baseUrl);
  const price = priceFrom(state.priced);
  const parameters = parametersFrom(state.tuned);
  const protocol = before ? before.protocol : preset?.protocol;
  const prices = offeredPrices(state);
  const endpoint = (offer: readonly string[]): Endpoint => ({
    id,
    label: nameFor(
      state.label,
      url,
      endpoints.filter((other) => other.id !== id).map(({ label }) => label),
    ),
    baseUrl: url,
    models: offer,
    ...(protocol ? { protocol } : {}),
    ...(price ? { price } : {}),
    ...(before?.ownPrices ? { ownPrices: before.ownPrices } : {}),
    ...(prices ? { prices } : {}),
    ...(state.listed ? { listed: state.listed } : {}),
    ...(parameters && !isRefusal(parameters) ? { parameters } : {}),
  });

  const ask = (typed = url) => {
    const address = plainAddress(typed);
    if (address === '') return change({ missing: 'url' });
    running.current?.abort();
    const asking = new AbortController();
    running.current = asking;
    change({ test: asking, tried: `${address} ${state.key}`, missing: null });
    settings
      .test(
        { ...endpoint(state.offered), baseUrl: address },
        state.key === '' ? undefined : state.key,
        asking.signal,
      )
      .then(
        (report) => {
          if (asking.signal.aborted) return;
          change({ test: report });
          if (!report.ok) return;
          const isOtherServer = listedAt.current !== address;
          listedAt.current = address;
          change({
            prices: report.prices ?? {},
            listed: report.models.length <= OFFER_ALL ? report.models : undefined,
          });
          change((now) => withList(now, report.models, { isOtherServer, isNew: before === null }));
        },
        (error: unknown) => {
          if (!isAbort(error)) change({ test: { ok: false, problem: toProblem(error) } });
        },
      );
  };
  const test = reportOn(state, url);
  const save = (event: FormEvent) => {
    event.preventDefault();
    const wanted = state.model.name.trim();
    const offer = [...new Set([...state.offered, ...(wanted ? [wanted] : [])])];
    if (url === '') return change({ missing: 'url' });
    if (state.label.trim() === '' && named !== '') return change({ missing: 'name' });
    if (price === undefined) return change({ missing: 'price' });
    if (isRefusal(parameters)) return change({ untuned: parameters });
    if (offer.length === 0) {
      // A test finds the models that a person who only has a key cannot know.
      if (test === null && (state.key !== '' || state.kept !== null)) return ask();
      // Without a model the picker would show an empty group.
      if (!(test instanceof AbortController)) change({ missing: 'model' });
      return;
    }
    change({ missing: null, saving: true });
    settings
      .saveEndpoint(endpoint(offer), state.key === '' ? undefined : state.key)
      // The endpoint may accept other parameters now.
      .then(() => chat.forgetModelRefusals(hostOf(url)))
      .then(() => (wanted ? settings.choose({ endpointId: id, model: wanted }) : undefined))
      .then(
        () => onClose(before === null && wanted ? { model: wanted, test: outcomeOf(test) } : undefined),
        (error: unknown) => change({ saving: false, problem: toProblem(error) }),
      );
  };
  const forget = (done: () => void) => {
    settings.forgetKey(endpointKey(id)).then(
      () => {
        change({ kept: null });
        // The pressed button is gone.
        done();
      },
      (error: unknown) => change({ problem: toProblem(error) }),
    );
  };

  return { state, change, test, before, preset, named, given, url, ask, save, forget };
}
export type EndpointForm = ReturnType<typeof useEndpointForm>;
