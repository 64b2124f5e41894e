import * as api from '@passport/contract/info'
import type { Feature } from '../feature.ts'
import { readBuild } from './build.ts'

/** The running version, on each of the paths that clients use. */
export const info: Feature = ({ serve }, { config }) => {
  // Resolved once git has responded; the start does not wait for it.
  const versionInfo = readBuild().then(({ version, commit, commitTime }) => ({
    name: 'passport' as const,
    version,
    informationalVersion: commit ? `${version}+${commit.slice(0, 7)}` : version,
    commit,
    buildTime: commitTime,
    stack: config.stack,
    apiVersions: ['1'],
  }))
  serve(api.getVersion, () => versionInfo)
  serve(api.getInfoVersion, () => versionInfo)
  serve(api.getApiInfoVersion, () => versionInfo)
}
