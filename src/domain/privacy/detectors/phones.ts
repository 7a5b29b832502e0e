// Telephone numbers: international ones by the lengths of their country, national ones with an unmistakable form,
// others after a word that names them. Why not libphonenumber: docs/decisions/1003-phone-numbers.md.
import type { Detector, TextSpan } from '../detector.ts';

/** Country code → least and most digits after it (ITU-T E.164, national numbering plans). */
const PLANS: Readonly<Record<string, readonly [number, number]>> = {
  1: [10, 10],
  7: [10, 10],
  20: [8, 10],
  27: [9, 9],
  30: [10, 10],
  31: [9, 9],
  32: [8, 9],
  33: [9, 9],
  34: [9, 9],
  36: [8, 9],
  39: [6, 11],
  40: [9, 9],
  41: [9, 9],
  43: [7, 13],
  44: [9, 10],
  45: [8, 8],
  46: [7, 10],
  47: [8, 8],
  48: [9, 9],
  49: [6, 12],
  51: [8, 9],
  52: [10, 10],
  53: [6, 8],
  54: [10, 11],
  55: [10, 11],
  56: [9, 9],
  57: [10, 10],
  58: [10, 10],
  60: [8, 10],
  61: [9, 9],
  62: [8, 12],
  63: [8, 10],
  64: [8, 10],
  65: [8, 8],
  66: [8, 9],
  81: [9, 10],
  82: [8, 11],
  84: [8, 10],
  86: [10, 11],
  90: [10, 10],
  91: [10, 10],
  92: [9, 10],
  93: [9, 9],
  94: [9, 9],
  95: [7, 10],
  98: [10, 10],
  351: [9, 9],
  352: [4, 11],
  353: [7, 9],
  354: [7, 9],
  355: [8, 9],
  356: [8, 8],
  357: [8, 8],
  358: [5, 12],
  359: [7, 9],
  370: [8, 8],
  371: [8, 8],
  372: [7, 8],
  373: [8, 8],
  374: [8, 8],
  375: [9, 9],
  377: [8, 9],
  380: [9, 9],
  381: [7, 9],
  382: [8, 8],
  385: [8, 9],
  386: [8, 8],
  387: [8, 8],
  389: [8, 8],
  420: [9, 9],
  421: [9, 9],
  423: [7, 9],
  852: [8, 8],
  853: [8, 8],
  855: [8, 9],
  880: [8, 10],
  886: [8, 9],
  960: [7, 7],
  961: [7, 8],
  962: [8, 9],
  963: [8, 9],
  964: [8, 10],
  965: [8, 8],
  966: [8, 9],
  968: [8, 8],
  971: [8, 9],
  972: [8, 9],
  973: [8, 8],
  974: [8, 8],
  977: [8, 10],
  992: [9, 9],
  994: [9, 9],
  995: [9, 9],
  996: [9, 9],
  998: [9, 9],
  212: [9, 9],
  213: [8, 9],
  216: [8, 8],
  218: [8, 9],
  220: [7, 7],
  221: [9, 9],
  225: [8, 10],
  233: [9, 9],
  234: [7, 10],
  237: [8, 9],
  250: [9, 9],
  251: [9, 9],
  254: [9, 10],
  255: [9, 9],
  256: [9, 9],
  260: [9, 9],
  263: [9, 9],
  264: [8, 9],
  502: [8, 8],
  503: [8, 8],
  504: [8, 8],
  505: [8, 8],
  506: [8, 8],
  507: [7, 8],
  591: [8, 8],
  593: [8, 9],
  595: [9, 9],
  598: [8, 8],
};

/** Separators between the groups of a number. */
const GAP = String.raw`[ .\u00a0/-]`;
const BEFORE = String.raw`(?<![\p{L}\p{N}_+#$€£¥=@:.,/-]|\d ?[.,/-]? )`;
const BEFORE_OR_HAN = String.raw`(?<![A-Za-z\d_+#$€£¥=@.,/-]|\d ?[.,/-]? )`;
const AFTER = String.raw`(?![A-Za-z\d_+=@%€$£]|[.,:/-]\d| ?[-–/] ?\d| \d| ?(?:%|€|£|¥|元|万|亿|件|箱|吨))`;

/** +44 20 7946 0958, +1 (650) 555-0199, 0044 …; the country code decides the number of digits. */
const INTERNATIONAL =
  /(?<![\p{L}\p{N}_+@.,/-]|(?<!tel|phone|mobile|number|fax)=)\+[1-9]\d{0,3}(?:[ .\u00a0/-]?(?:\(\d{1,6}\)|\d{1,6})){1,7}(?![\d_]|[A-Za-z])/gu;
/** International numbers with 00 instead of the plus, in groups: a row of digits without gaps may be anything. */
const DIALLED =
  /(?<![\p{L}\p{N}_+=@.,/-]|\d ?[.,/-]? )00[ .-]?[1-9]\d{0,3}(?:[ ./-](?:\(\d{1,6}\)|\d{1,6})){1,7}(?![\d_]|[A-Za-z])/gu;
/** Chinese mobile number with its country code but no plus, as in chats: 86 138 0013 8000. */
const CHINESE = new RegExp(
  String.raw`${BEFORE_OR_HAN}(?:00)?86[ -]?1[3-9]\d(?:\d{8}|(?<mark>[ -])\d{4}\k<mark>\d{4})${AFTER}`,
  'gu',
);
/** Words before a row of digits that make it an order number. */
const ORDER =
  /(?:order|invoice|tracking|ticket|parcel|shipment|serial|订单|訂單|运单|運單|单号|單號|流水|编号|編號|工单|快递|物流)[^\d\n]{0,12}$/i;
/** Links that call or write: wa.me/49…, tel:44… */
const LINKED =
  /(?<kept>(?:\bwa\.me\/|\b(?:tel|sms|callto):|\bwhatsapp[^\s"'<>]{0,40}[?&]phone=)\+?|=%2B)\d{8,15}(?![\w-])/gi;
const NATIONAL: readonly RegExp[] = [
  // China: mobile numbers, area codes, service numbers
  String.raw`${BEFORE_OR_HAN}1[3-9]\d(?:\d{8}|(?<mark>[ .-])\d{4}\k<mark>\d{4}|[ -]\d{4}[ -]\d{4}|[ -]\d{3}[ -]\d{5})${AFTER}`,
  String.raw`${BEFORE_OR_HAN}(?:\(0(?:10|2\d|[3-9]\d{2})\) ?|0(?:10|2\d|[3-9]\d{2})-)\d{3,4}[ -]?\d{4}(?:-\d{1,5})?${AFTER}`,
  String.raw`${BEFORE_OR_HAN}[48]00-\d{3}-\d{4}${AFTER}`,
  // North America
  String.raw`${BEFORE}(?:1[ .-])?\([2-9]\d{2}\) ?[2-9]\d{2}[ .-]\d{4}${AFTER}`,
  String.raw`${BEFORE}(?:1[.-])?[2-9]\d{2}(?<sign>[.-])[2-9]\d{2}\k<sign>\d{4}${AFTER}`,
  // France, in pairs
  String.raw`${BEFORE}0[1-9](?<gap>[ .-])\d{2}(?:\k<gap>\d{2}){3}${AFTER}`,
  // United Kingdom
  String.raw`${BEFORE}0(?:7\d{3} \d{6}|7\d{3} \d{3} \d{3}|20 \d{4} \d{4}|1\d{3} \d{6}|1\d{2} \d{3} \d{4})${AFTER}`,
].map((source) => new RegExp(source, 'gu'));

/** A word for a telephone, directly followed by the number. */
const NAMED = new RegExp(
  String.raw`(?<kept>(?:\b(?:tele?(?:phone|fon)?|phone|mobile|mobil|cell|handy|fax|hotline|whatsapp|sms|call|ring|dial|text|numéro|landline|festnetz)\b|\b(?:my|your|his|her|our|their)\s(?:[a-z]{1,10}\s)?number\b|电话|手机|座机|热线|传真|拨打|致电|号码|電話|手機|携帯|전화|휴대폰|핸드폰|연락처|телефон|teléfono|téléphone|\bcelular\b|móvil|\bcellulare\b)[^\d\n+(]{0,16})${BEFORE_OR_HAN}(?:\+?(?:\(\d{1,5}\)|\d)(?:${GAP}?(?:\(\d{1,5}\)|\d{1,5})){4,13}|9\d{4})(?![A-Za-z\d_=@%€$£]|[.,:/-]\d|年|月|日|位|元|块|%|点)`,
  'giu',
);
/** Fewest digits after a word that may also mean something else: shorter numbers are not telephone numbers. */
const LEAST = 7;

function isInternational(written: string): boolean {
  const digits = written.replace(/\D/g, '');
  for (let length = 1; length <= 3; length++) {
    const plan = PLANS[digits.slice(0, length)];
    // "+49 (0) 30 …": callers from abroad do not dial the zero.
    const rest = digits.slice(length).length - (/\(0\)/.test(written) ? 1 : 0);
    if (plan) return rest >= plan[0] && rest <= plan[1];
  }
  return false;
}

const isNamed = (written: string): boolean => {
  const digits = written.replace(/\D/g, '');
  if (/^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}$/.test(written) || /^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}$/.test(written))
    return false;
  return (digits.length >= LEAST && digits.length <= 15) || /^(?:95|96|10|12)\d{3}$/.test(written);
};

export const phones: Detector = {
  category: 'phones',
  find(text) {
    const found: TextSpan[] = [];
    const add = (from: number, written: string) => {
      const words = written.replace(/[ .\u00a0/(-]{1,4}$/, '');
      found.push({ from, to: from + words.length });
    };
    for (const { 0: written, index } of text.matchAll(INTERNATIONAL))
      if (isInternational(written)) add(index, written);
    for (const { 0: written, index } of text.matchAll(DIALLED))
      if (isInternational(written.replace(/^00/, ''))) add(index, written);
    for (const { 0: written, index } of text.matchAll(CHINESE))
      if (!ORDER.test(text.slice(Math.max(0, index - 24), index))) add(index, written);
    for (const { 0: whole, index, groups } of text.matchAll(LINKED)) {
      const kept = groups?.kept?.length ?? 0;
      add(index + kept, whole.slice(kept));
    }
    for (const pattern of NATIONAL)
      for (const { 0: written, index } of text.matchAll(pattern)) add(index, written);
    for (const { 0: whole, index, groups } of text.matchAll(NAMED)) {
      const kept = groups?.kept?.length ?? 0;
      if (isNamed(whole.slice(kept))) add(index + kept, whole.slice(kept));
    }
    found.sort((one, other) => one.from - other.from || other.to - one.to);
    const apart: TextSpan[] = [];
    for (const span of found) if (span.from >= (apart.at(-1)?.to ?? 0)) apart.push(span);
    return apart;
  },
};
