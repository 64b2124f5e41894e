import { buildUrl, type Parts } from '@passport/contract/call'
import { copyText } from '../ui/copy.ts'
import { toast } from '../ui/toast.ts'
import { pageCalls } from './page-calls.ts'
import { queryClient } from './query-client.ts'
import { formatCurl, type ServerCall } from './shell-command.ts'

/** The part of the guide that the message after copying links to. */
const tokenGuide = '/docs/administering-by-script#get-a-token'

const patterns = Object.entries(pageCalls).map(
  ([path, calls]) => [new RegExp(`^/app${path.replaceAll(/\$\w+/g, '[^/]+')}$`), calls] as const,
)

/** Returns the endpoints whose call a page copies, by its pathname; undefined for a page that is not in the table. */
export function findPageEndpoints(pathname: string): readonly string[] | undefined {
  const literal = Object.entries(pageCalls).find(([path]) => `/app${path}` === pathname)
  return literal ? literal[1] : patterns.find(([pattern]) => pattern.test(pathname))?.[1]
}

/** Returns the call that loaded the current page for administrators, with its filters; undefined without one. */
export function findPageCall(): ServerCall | undefined {
  for (const path of findPageEndpoints(location.pathname) ?? []) {
    const parts = findLoaded(path)
    if (!parts) continue
    const { href } = buildUrl(location.origin, { path }, parts)
    return parts.body === undefined ? { url: href } : { url: href, body: parts.body }
  }
  return undefined
}

/**
 * Returns the parameters with which an endpoint was called for the page. The page itself has a number in a list; other
 * calls of the endpoint, such as those that count its rows, have none.
 */
function findLoaded(path: string): Parts | undefined {
  const active = queryClient.getQueryCache().findAll({ type: 'active' })
  const calls = active.flatMap(({ queryKey, state }) =>
    state.data === undefined ? [] : [queryKey, ...queryKey].flatMap((key) => readCall(key, path)),
  )
  return calls.find(({ query }) => query?.['page'] !== undefined) ?? calls[0]
}

/** Reads the key of a query, or one of the calls in it: the path of an endpoint, and its parameters if it has any. */
function readCall(key: unknown, path: string): Parts[] {
  if (!Array.isArray(key) || key[0] !== path || key.length > 2) return []
  const [, parts = {}] = key
  return typeof parts === 'object' && parts !== null ? [parts] : []
}

/** Copies the call of the page as a command of curl. The message says how to get the token. */
export async function copyPageCall(): Promise<void> {
  const call = findPageCall()
  if (!call) return void toast({ id: 'copied', type: 'info', content: 'This page has not called the API yet' })
  if (!(await copyText(formatCurl(call)))) return
  const action = { label: 'Get $TOKEN', run: () => window.open(tokenGuide, '_blank', 'noopener') }
  void toast({ id: 'copied', type: 'success', content: 'Copied as cURL', action })
}
