// Reads something for the screen, and reads it again on request.
import { useEffect, useMemo, useState } from 'react';
import { isAbort, type Problem, toProblem } from '../../domain/base/errors.ts';

interface Read<T> {
  /** The latest answer, also while it is read again; undefined until the first. */
  readonly value: T | undefined;
  /** Why the latest reading failed; null while nothing failed. */
  readonly problem: Problem | null;
  /** Reads again, never twice at once. Resolves when the latest reading is over; never rejects. */
  readonly again: () => Promise<void>;
}

/** `read` must keep its identity: with another one everything begins anew. Null reads nothing. */
export function useRead<T>(read: (() => Promise<T>) | null): Read<T> {
  const [held, setHeld] = useState<{ by: unknown; value: T | undefined; problem: Problem | null }>({
    by: read,
    value: undefined,
    problem: null,
  });
  const reader = useMemo(() => {
    let isGone = false;
    let wanted = false;
    let running: Promise<void> | null = null;
    const once = async (read: () => Promise<T>): Promise<void> => {
      try {
        const value = await read();
        if (!isGone) setHeld({ by: read, value, problem: null });
      } catch (error) {
        if (isGone || isAbort(error)) return;
        const problem = toProblem(error);
        setHeld((before) => ({ by: read, value: before.by === read ? before.value : undefined, problem }));
      }
    };
    const all = async (): Promise<void> => {
      while (wanted && read && !isGone) {
        wanted = false;
        await once(read);
      }
      running = null;
    };
    return {
      again: (): Promise<void> => {
        wanted = true;
        running ??= all();
        return running;
      },
      begin: () => {
        isGone = false;
      },
      end: () => {
        isGone = true;
      },
    };
  }, [read]);
  useEffect(() => {
    reader.begin();
    void reader.again();
    return reader.end;
  }, [reader]);
  const isOwn = held.by === read;
  return {
    value: isOwn ? held.value : undefined,
    problem: isOwn ? held.problem : null,
    again: reader.again,
  };
}

/** The same for something that changes: with another `read` the earlier answer stays until the next one is there. */
export function useReadAnew<T>(read: () => Promise<T>): Read<T> {
  const asked = useRead(read);
  const [earlier, setEarlier] = useState<T | undefined>(undefined);
  const value = asked.value ?? earlier;
  if (!Object.is(value, earlier)) setEarlier(() => value);
  return { ...asked, value };
}
