import * as api from '@passport/contract/info'
import type { Room } from '../room.ts'
import { readBuild } from './build.ts'

/** Which version answers, on each of the paths by which clients know the call. */
export const info: Room = ({ serve }, { config }) => {
  // Known once git has answered; the start does not wait for it.
  const told = readBuild().then(({ version, commit, buildTime }) => ({
    name: 'passport' as const,
    version,
    informationalVersion: commit ? `${version}+${commit.slice(0, 7)}` : version,
    commit,
    buildTime,
    stack: config.stack,
    apiVersions: ['1'],
  }))
  serve(api.getVersion, () => told)
  serve(api.getInfoVersion, () => told)
  serve(api.getApiInfoVersion, () => told)
}
