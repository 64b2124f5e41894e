import { canonicaliseLocale } from '@passport/contract/content'

/** Longer headers are cut off, and further ranges ignored. */
const maxHeader = 1000
const maxRanges = 30

/**
 * Returns the language ranges of an Accept-Language header by their weights, best first (RFC 9110, section 12.5.4).
 * Omits invalid ranges, and those with the weight 0.
 */
export function parseAcceptLanguage(header: string | undefined): string[] {
  const ranges = (header ?? '').slice(0, maxHeader).split(',', maxRanges)
  return ranges
    .flatMap((text) => {
      const [, range, weight = '1'] =
        /^\s*([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*|\*)\s*(?:;\s*[qQ]=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/.exec(
          text,
        ) ?? []
      return range !== undefined && Number(weight) > 0 ? [{ range, weight: Number(weight) }] : []
    })
    .sort((a, b) => b.weight - a.weight)
    .map(({ range }) => range)
}

/** Varieties of a language, with the regions whose readers share them (Unicode CLDR, `parentLocales`). */
const varieties = [
  { tag: 'es-419', regions: 'AR BO BR BZ CL CO CR CU DO EC GT HN MX NI PA PE PR PY SV US UY VE' },
  { tag: 'pt-PT', regions: 'AO CH CV FR GQ GW LU MO MZ ST TL' },
  { tag: 'zh-Hant-HK', regions: 'MO' },
].map(({ tag, regions }) => ({ tag, regions: new Set<string | undefined>(regions.split(' ')), locale: maximize(tag) }))

function findVariety({ language, script, region }: Intl.Locale): string | undefined {
  const isShared = ({ locale, regions }: (typeof varieties)[number]) =>
    locale.language === language && locale.script === script && regions.has(region)
  return varieties.find(isShared)?.tag
}

/** Returns a tag with the script and the region that it has most likely (UTS #35). */
function maximize(tag: string): Intl.Locale {
  return new Intl.Locale(tag).maximize()
}

/** Returns what a language tag stands for; undefined for a wildcard. */
function readTag(tag: string) {
  const canonical = canonicaliseLocale(tag)
  if (canonical === undefined) return undefined
  const locale = maximize(canonical)
  // Bokmål is what Norwegian means.
  return { tag, canonical, locale, language: locale.language === 'nb' ? 'no' : locale.language }
}

/**
 * Chooses the best of some language tags for ranges in the order of preference. For each range: the tag itself, the variety
 * of its region (`es-419` for `es-MX`), or what the range is when it is shortened (RFC 4647, section 3.4), in its script;
 * then a tag of its language and script, if possible of its region (`zh-Hant` for `zh-TW`, `pt-BR` for `pt`); then one of its
 * language. Returns undefined if there is none.
 */
export function chooseLocale(ranges: string[], tags: string[]): string | undefined {
  const known = tags.flatMap((tag) => readTag(tag) ?? [])
  for (const range of ranges) {
    const wanted = readTag(range)
    if (!wanted) continue
    const sameLanguage = known.filter(({ language }) => language === wanted.language)
    if (sameLanguage.length === 0) continue
    const sameScript = sameLanguage.filter(({ locale }) => locale.script === wanted.locale.script)
    const variety = findVariety(wanted.locale)
    const chosen =
      sameScript.find(({ tag }) => tag === wanted.canonical) ??
      sameScript.find(({ tag }) => tag === variety) ??
      findShortened(wanted.canonical, sameScript) ??
      sameScript.find(({ locale }) => locale.region === wanted.locale.region) ??
      sameScript[0] ??
      sameLanguage[0]
    return chosen?.tag
  }
  return undefined
}

/** Shortens a canonical range until it equals a tag (RFC 4647, section 3.4). */
function findShortened<Tag extends { tag: string }>(range: string, tags: Tag[]): Tag | undefined {
  const subtags = range.toLowerCase().split('-')
  while (subtags.length > 0) {
    const found = tags.find(({ tag }) => tag.toLowerCase() === subtags.join('-'))
    if (found) return found
    subtags.pop()
    // A single character, such as the x of a private use, means nothing without the subtag after it.
    if (subtags.at(-1)?.length === 1) subtags.pop()
  }
  return undefined
}
