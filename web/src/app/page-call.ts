import type { Query } from '@tanstack/react-query'
import { copyText } from '../ui/copy.ts'
import { toast } from '../ui/toast.ts'
import { queryClient } from './query-client.ts'

/** The part of the guide that the message after copying links to. */
const tokenGuide = '/docs/administering-by-script#get-a-token'

/** The pages that have the paths of their calls. */
const pattern =
  /^\/app(\/admin\/(?:health$|awssubscriptions\/[^/]+\/usage|(?:users|orgs|roles|entitlements|awsproducts|awssubscriptions|identity\/\w+)\/[^/]+))/

/** Returns the path of the call that returns the record of an administrator's page; undefined for other pages. */
export function findPageCall(pathname: string): string | undefined {
  const [, record] = pattern.exec(pathname) ?? []
  return record && `/passport${record}`
}

/** Returns the path and query of the call that has loaded the administrator's list on the page; undefined without one. */
export function findListCall(): string | undefined {
  return queryClient.getQueryCache().findAll({ type: 'active' }).map(toListCall).find(Boolean)
}

function toListCall({ queryKey: [path, sent], state }: Query): string | undefined {
  const isList = Array.isArray((state.data as { items?: unknown } | undefined)?.items)
  if (!isList || typeof path !== 'string' || !/^\/passport\/admin\/[^{]+$/.test(path)) return undefined
  const { query = {} } = (sent ?? {}) as { query?: Record<string, unknown> }
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters)}`
}

/** Copies a call of this server as a command of curl. The message says how to get the token. */
export async function copyCall(path: string): Promise<void> {
  const url = `${location.origin}${path}`.replaceAll("'", '%27')
  if (!(await copyText(`curl '${url}' -H "Authorization: Bearer $TOKEN"`))) return
  const action = { label: 'Get $TOKEN', run: () => window.open(tokenGuide, '_blank', 'noopener') }
  void toast({ id: 'copied', type: 'success', content: 'Copied as cURL', action })
}
