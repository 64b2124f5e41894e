const names = new Intl.DisplayNames(['en-GB'], { type: 'language' })

/** Returns the English name of a language, such as “Brazilian Portuguese”; the tag itself if it has none. */
export function nameLocale(locale: string): string {
  try {
    return names.of(locale) ?? locale
  } catch {
    return locale
  }
}

const maxTag = 35

/** Returns a language tag in its canonical form; undefined for anything else. */
export function parseLocale(tag: string): string | undefined {
  try {
    const [locale] = Intl.getCanonicalLocales(tag.trim())
    return locale && locale.length <= maxTag ? locale : undefined
  } catch {
    return undefined
  }
}
