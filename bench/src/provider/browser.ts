import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { Socket } from 'node:net'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

export interface HttpConnections {
  send: (url: string, init?: { headers?: Record<string, string>; form?: Record<string, string> }) => Promise<Answer>
  /** Returns all bytes received so far, with the headers. */
  receivedBytes: () => number
  /** Closes all connections, so that none is used which the server closes after a while. */
  renew: () => void
  close: () => void
}

/** Creates an HTTP client whose connections stay open. A form is sent by POST. */
export function createConnections(): HttpConnections {
  let agent = new Agent({ keepAlive: true })
  const sockets = new Set<Socket>()
  return {
    send: (url, { headers = {}, form } = {}) =>
      new Promise((resolve, reject) => {
        const body = form && new URLSearchParams(form).toString()
        const bodyHeaders = body !== undefined && {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': String(Buffer.byteLength(body)),
        }
        const method = body === undefined ? 'GET' : 'POST'
        const outgoing = request(url, { agent, method, headers: { ...bodyHeaders, ...headers } }, (incoming) => {
          let text = ''
          incoming.setEncoding('utf8')
          incoming.on('data', (chunk) => {
            text += chunk
          })
          incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }))
          incoming.on('error', reject)
        })
        outgoing.on('socket', (socket) => sockets.add(socket))
        outgoing.on('error', reject)
        outgoing.end(body)
      }),
    receivedBytes: () => [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0),
    renew: () => {
      agent.destroy()
      agent = new Agent({ keepAlive: true })
    },
    close: () => agent.destroy(),
  }
}

/** A browser without scripts that signs a user in. */
export interface Browser {
  /**
   * Opens an authorization URL, fills in the sign-in form if there is one, and follows the redirects. Returns the URL of
   * the client to which they lead, without opening it.
   */
  authorize: (url: string, redirectUri: string, signInFields: Record<string, string>) => Promise<URL>
}

interface Cookie {
  name: string
  value: string
  path: string
}

/** Creates a browser without cookies. Everything happens on one host. */
export function createBrowser({ send }: HttpConnections): Browser {
  const jar = new Map<string, Cookie>()

  function storeCookie(line: string) {
    const [pair = '', ...attributes] = line.split(/; ?/)
    const index = pair.indexOf('=')
    const find = (name: string) =>
      attributes.find((attribute) => attribute.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1)
    const [name, path] = [pair.slice(0, index), find('path') ?? '/']
    const isExpired = Number(find('max-age') ?? 1) <= 0 || Date.parse(find('expires') ?? '2100-01-01') < Date.now()
    if (isExpired) jar.delete(`${path} ${name}`)
    else jar.set(`${path} ${name}`, { name, value: pair.slice(index + 1), path })
  }

  async function open(url: string, form?: Record<string, string>): Promise<Answer> {
    const { pathname, origin } = new URL(url)
    const isSentTo = ({ path }: Cookie) =>
      pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
    const cookie = [...jar.values()]
      .filter(isSentTo)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
    const headers = {
      accept: 'text/html',
      'sec-fetch-site': 'same-origin',
      'sec-fetch-dest': 'document',
      ...(form && { origin }),
      ...(cookie && { cookie }),
    }
    const answer = await send(url, { headers, ...(form && { form }) })
    for (const line of answer.headers['set-cookie'] ?? []) storeCookie(line)
    return answer
  }

  return {
    authorize: async (authorizationUrl, redirectUri, signInFields) => {
      let url = authorizationUrl
      let answer = await open(url)
      let isSubmitted = false
      for (let hop = 0; hop < 20; hop++) {
        const { location } = answer.headers
        if (location !== undefined) {
          url = new URL(location, url).href
          if (url.startsWith(redirectUri)) return new URL(url)
          answer = await open(url)
          continue
        }
        const form = isSubmitted ? undefined : readPasswordForm(answer.text)
        if (!form) throw new Error(`${answer.status} at ${url}: ${answer.text.slice(0, 2000)}`)
        isSubmitted = true
        url = new URL(form.action, url).href
        answer = await open(url, { ...form.hidden, ...signInFields })
      }
      throw new Error(`Too many redirects from ${authorizationUrl}`)
    },
  }
}

/** Returns the target and the hidden fields of the form with a password. */
function readPasswordForm(page: string): { action: string; hidden: Record<string, string> } | undefined {
  const forms = page.match(/<form[\s\S]*?<\/form>/g) ?? []
  const form = forms.find((candidate) => candidate.includes('type="password"'))
  if (!form) return undefined
  const attribute = (tag: string, name: string) =>
    decodeEntities(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '')
  const inputs = (form.match(/<input[^>]*>/g) ?? []).filter((tag) => attribute(tag, 'type') === 'hidden')
  return {
    action: attribute(form, 'action'),
    hidden: Object.fromEntries(inputs.map((tag) => [attribute(tag, 'name'), attribute(tag, 'value')])),
  }
}

const entities: Record<string, string> = { '&amp;': '&', '&quot;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>' }
const decodeEntities = (text: string) => text.replace(/&(?:amp|quot|#39|lt|gt);/g, (entity) => entities[entity] ?? '')
