const maxOrigin = 300

/** Returns the error of an origin; undefined for one as browsers serialise it (WHATWG HTML, section 7.1.1). */
export function findOriginError(text: string): string | undefined {
  const url = text.length <= maxOrigin ? URL.parse(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.host === '' || url.host.includes('*'))
    return 'Must be an origin such as https://app.example, without a path.'
  return url.origin === text ? undefined : `Must be an origin: write ${url.origin}`
}
