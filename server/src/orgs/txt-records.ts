import { Resolver } from 'node:dns/promises'

/** Returns the TXT records of a name, empty if it has none or does not exist; undefined if the query failed. */
export type FindTxt = (name: string) => Promise<string[] | undefined>

const timeoutMs = 5000
/** The error codes for a name that does not exist, or has no TXT records. */
const noRecordCodes = new Set(['ENOTFOUND', 'ENODATA'])

/** Creates a resolver that queries these servers, each as `address:port`, or without any those of the system. */
export function createTxtResolver(servers: string[]): FindTxt {
  return async (name) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 1 })
    if (servers.length > 0) resolver.setServers(servers)
    // The resolver's timeout applies to each server; this one to all of them.
    const timer = setTimeout(() => resolver.cancel(), timeoutMs)
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
    } catch (error) {
      return noRecordCodes.has((error as { code?: string }).code ?? '') ? [] : undefined
    } finally {
      clearTimeout(timer)
    }
  }
}
