import { Resolver } from 'node:dns/promises'

/** The TXT records of a name, none where it has none or does not exist; undefined where DNS did not answer. */
export type FindTxt = (name: string) => Promise<string[] | undefined>

const timeoutMs = 5000
/** The name is not there, or has no TXT records. */
const saysNone = new Set(['ENOTFOUND', 'ENODATA'])

/** Asks the servers, each `address:port`, or those of this machine where none are given. */
export function txtRecords(servers: string[]): FindTxt {
  return async (name) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 1 })
    if (servers.length > 0) resolver.setServers(servers)
    // The time of the resolver is for each server; people wait for all of them.
    const timer = setTimeout(() => resolver.cancel(), timeoutMs)
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
    } catch (error) {
      return saysNone.has((error as { code?: string }).code ?? '') ? [] : undefined
    } finally {
      clearTimeout(timer)
    }
  }
}
