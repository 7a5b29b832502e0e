// Knows which records of the index's pages are stored, so that pages can be moved into packs without looking for them.
import { type Kind, SPAN } from './page-store.ts';

/** Keys of the stored records, as of the last transaction that completed. */
export class StoredPages {
  readonly packs = new Set<number>();
  readonly #pack: number;
  /** Pages outside of packs, by the key of the pack they would be in. */
  readonly #loose = new Map<number, Set<number>>();
  #count = 0;

  /** `pack` is the number of pages in a pack. */
  constructor(pack: number) {
    this.#pack = pack;
  }

  /** Pages outside of packs. */
  get loose(): number {
    return this.#count;
  }

  /** Returns the key of the pack that a page belongs to. */
  packOf(key: number): number {
    return key - (key % this.#pack);
  }

  /** True if a pack has a content for the page, be it an old one. */
  isPacked(key: number): boolean {
    return this.packs.has(this.packOf(key));
  }

  add(kind: Kind, key: number): void {
    if (kind === 'packs') this.packs.add(key);
    else {
      const pages = this.#loose.get(this.packOf(key)) ?? new Set();
      this.#loose.set(this.packOf(key), pages);
      this.#count += pages.has(key) ? 0 : 1;
      pages.add(key);
    }
  }

  removePage(key: number): void {
    const pages = this.#loose.get(this.packOf(key));
    if (pages?.delete(key)) this.#count -= 1;
    if (pages?.size === 0) this.#loose.delete(this.packOf(key));
  }

  /** Removes pages and packs of file `id` from page `first` on; a pack that begins before it stays. */
  removeFrom(id: number, first: number): void {
    const [from, end] = [id * SPAN + first, (id + 1) * SPAN];
    for (const key of this.packs) if (key >= from && key < end) this.packs.delete(key);
    for (const [pack, pages] of this.#loose)
      if (pack + this.#pack > from && pack < end)
        for (const key of [...pages]) if (key >= from) this.removePage(key);
  }

  removePagesOfPack(pack: number): void {
    this.#count -= this.#loose.get(pack)?.size ?? 0;
    this.#loose.delete(pack);
  }

  /** The pack with the most pages outside of it, of those `wanted`. */
  fullest(wanted: (pack: number) => boolean): number | undefined {
    let best: number | undefined;
    let most = 0;
    for (const [pack, { size }] of this.#loose) if (size > most && wanted(pack)) [best, most] = [pack, size];
    return best;
  }
}
