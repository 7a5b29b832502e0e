// Earlier versions of an answer, swipes and forks, which chat apps keep beside the line of a conversation they show.
import { type Fields, fieldsOf, isFields, objectsOf, stringOf } from '../../domain/base/json.ts';
import { bare } from './message-shapes.ts';

/**
 * The versions of a message that are not shown: of LM Studio, SillyTavern's swipes, further choices of an endpoint.
 * `message`: as `bare` gives it.
 */
export function otherVersionsOf(message: Fields): Fields[] {
  const { versions, currentlySelected, swipes, swipe_id: shown, swipe_info: about } = message;
  if (Array.isArray(versions))
    return versions
      .filter((one, at) => isFields(one) && at !== Number(currentlySelected ?? 0))
      .map((one) => bare({ versions: [one], currentlySelected: 0 }));
  if (Array.isArray(message.choices)) return message.choices.filter(isFields).map(bare);
  if (!Array.isArray(swipes)) return [];
  const abouts: readonly unknown[] = Array.isArray(about) ? about : [];
  return swipes.flatMap((words, at) => {
    const isShown = at === Number(shown ?? -1) || words === message.mes;
    if (typeof words !== 'string' || isShown) return [];
    const { send_date, extra } = fieldsOf(abouts[at]);
    return [{ name: message.name, is_user: message.is_user, mes: words, send_date, extra }];
  });
}

/**
 * Messages of Chatbox with the forks that it keeps beside them, by the message that they follow; each then names the
 * one above it. Undefined without forks, or where a message has no id.
 */
export function withForks(list: readonly Fields[], forks: unknown): readonly Fields[] | undefined {
  const linked = (line: readonly Fields[], above: unknown): Fields[] =>
    line.map((one, at) => ({ ...one, parentId: at === 0 ? above : line[at - 1]?.id }));
  const beside = Object.entries(fieldsOf(forks)).flatMap(([id, fork]) =>
    objectsOf(fieldsOf(fork).lists).flatMap(({ messages }) => linked(objectsOf(messages), id)),
  );
  const all = [...linked(list, undefined), ...beside];
  return beside.length === 0 || all.some(({ id }) => stringOf(id) === '') ? undefined : all;
}
