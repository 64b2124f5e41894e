/** A page as shown by a browser without scripts. */
export interface ShownPage {
  status: number
  url: string
  headers: Headers
  text: string
}

/** A browser without scripts: keeps cookies by path, follows redirects, submits forms. */
export interface TestBrowser {
  open: (url: string) => Promise<ShownPage>
  /** Submits the form with the named field or button, including its hidden fields. */
  submit: (page: ShownPage, fields: Record<string, string>) => Promise<ShownPage>
  /** Sends one request with the cookies of the browser, without following redirects. */
  send: (url: string, init?: RequestInit) => Promise<Response>
  cookies: () => { name: string; value: string; path: string }[]
  setCookie: (name: string, value: string) => void
  /** Every requested URL, in order, including redirects. */
  visitedUrls: string[]
}

interface Cookie {
  host: string
  name: string
  value: string
  path: string
  /** Milliseconds since 1970; a cookie without an expiry lasts as long as the browser. */
  expiresAt: number
}

/** Sends a request without following redirects. */
export type SendRequest = (
  url: URL,
  init: Omit<RequestInit, 'headers'> & { headers: Record<string, string> },
) => Promise<Response>

const fetchOnce: SendRequest = (url, init) => fetch(url, { ...init, redirect: 'manual' })

/**
 * Creates a browser without cookies. `defaultHeaders` are sent with every request, such as those that a proxy adds.
 * `sendRequest` can send requests to another address than that of their URL.
 */
export function createTestBrowser(
  origin: string,
  defaultHeaders: Record<string, string> = {},
  sendRequest: SendRequest = fetchOnce,
): TestBrowser {
  const jar = new Map<string, Cookie>()
  const visitedUrls: string[] = []
  let currentUrl = origin

  const storeCookie = (url: URL, line: string) => {
    const [pair = '', ...attributes] = line.split(/; ?/)
    const index = pair.indexOf('=')
    const attribute = (name: string) =>
      attributes.find((text) => text.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1)
    const path = attribute('path') ?? '/'
    const key = `${url.host} ${path} ${pair.slice(0, index)}`
    const expiresAt = parseExpiry(attribute('max-age'), attribute('expires'))
    jar.set(key, { host: url.host, name: pair.slice(0, index), value: pair.slice(index + 1), path, expiresAt })
  }

  function listCookies(): Cookie[] {
    for (const [key, { expiresAt }] of jar) if (expiresAt <= Date.now()) jar.delete(key)
    return [...jar.values()]
  }

  async function send(path: string, init: RequestInit = {}) {
    const url = new URL(path, currentUrl)
    visitedUrls.push(url.href)
    const matchesUrl = ({ host, path }: Cookie) =>
      host === url.host && (url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`))
    const cookie = listCookies()
      .filter(matchesUrl)
      .map(({ name, value }) => `${name}=${value}`)
    const site = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document', accept: 'text/html' }
    const headers = {
      ...defaultHeaders,
      ...site,
      ...(cookie.length > 0 && { cookie: cookie.join('; ') }),
      ...(init.headers as Record<string, string>),
    }
    const response = await sendRequest(url, { ...init, headers })
    for (const line of response.headers.getSetCookie()) storeCookie(url, line)
    return response
  }

  async function follow(path: string, init?: RequestInit): Promise<ShownPage> {
    let url = new URL(path, currentUrl)
    let response = await send(url.href, init)
    for (let hops = 0; hops < 20 && response.headers.has('location'); hops++) {
      url = new URL(response.headers.get('location') ?? '', url)
      response = await send(url.href)
    }
    currentUrl = url.href
    return { status: response.status, url: url.href, headers: response.headers, text: await response.text() }
  }

  return {
    visitedUrls,
    send,
    cookies: listCookies,
    setCookie: (name, value) => storeCookie(new URL(origin), `${name}=${value}; path=/`),
    open: (url) => follow(url),
    submit: (page, fields) => {
      const forms = page.text.match(/<form[\s\S]*?<\/form>/g) ?? []
      const form = forms.find((candidate) => Object.keys(fields).every((name) => candidate.includes(`name="${name}"`)))
      if (!form)
        throw new Error(`No form with ${Object.keys(fields).join(', ')} at ${page.url}: ${page.text.slice(0, 400)}`)
      const hidden = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
      const values = Object.fromEntries(hidden.map(([, name, value]) => [decodeEntities(name), decodeEntities(value)]))
      const action = decodeEntities(/action="([^"]*)"/.exec(form)?.[1])
      const body = new URLSearchParams({ ...values, ...fields }).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return follow(new URL(action, page.url).href, { method: 'POST', body, headers })
    },
  }
}

/**
 * Returns the expiry of a cookie in milliseconds since 1970. Max-Age, in seconds, takes precedence over Expires (RFC
 * 6265, section 5.3).
 */
function parseExpiry(maxAge: string | undefined, expires: string | undefined): number {
  if (maxAge !== undefined) return Date.now() + Number(maxAge) * 1000
  return expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires)
}

const entities: Record<string, string> = { '&amp;': '&', '&quot;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>' }
const decodeEntities = (text = '') => text.replace(/&(?:amp|quot|#39|lt|gt);/g, (entity) => entities[entity] ?? entity)
