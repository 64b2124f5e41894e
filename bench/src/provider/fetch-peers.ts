import { execFileSync } from 'node:child_process'
import { createWriteStream, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { glewlwydDirectory } from './glewlwyd.ts'
import { keycloakDirectory, keycloakVersion } from './keycloak.ts'
import { findPeer, peersDirectory } from './peer.ts'

const keycloakUrl = `https://repo1.maven.org/maven2/org/keycloak/keycloak-quarkus-dist/${keycloakVersion}/keycloak-quarkus-dist-${keycloakVersion}.zip`

/**
 * Fetches the other providers that are not there yet: Keycloak from Maven Central, which needs Java 17 and `unzip`, and
 * glewlwyd from the packages of Debian 12, which are unpacked but not installed.
 */
export async function fetchPeers(): Promise<void> {
  mkdirSync(peersDirectory, { recursive: true })
  if (!findPeer(keycloakDirectory)) await prepare(keycloakDirectory, fetchKeycloak)
  if (!findPeer(glewlwydDirectory)) await prepare(glewlwydDirectory, fetchGlewlwyd)
}

/** Prepares a directory under another name, so that an interrupted fetch leaves none. */
async function prepare(name: string, work: (directory: string) => Promise<string>) {
  const unfinished = join(peersDirectory, `${name}.new`)
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished)
  try {
    renameSync(await work(unfinished), join(peersDirectory, name))
    rmSync(unfinished, { recursive: true, force: true })
  } catch (error) {
    console.error(`${name} could not be fetched: ${error instanceof Error ? error.message : error}`)
  }
}

async function fetchKeycloak(directory: string): Promise<string> {
  const response = await fetch(keycloakUrl)
  if (!response.ok || !response.body) throw new Error(`${response.status} at ${keycloakUrl}`)
  const archive = join(directory, 'keycloak.zip')
  await finished(Readable.fromWeb(response.body as ReadableStream).pipe(createWriteStream(archive)))
  execFileSync('unzip', ['-q', archive, '-d', directory])
  const home = join(directory, keycloakDirectory)
  // Production mode needs a build for its database.
  execFileSync(join(home, 'bin/kc.sh'), ['build', '--db=postgres', '--cache=local'], { stdio: 'ignore' })
  return home
}

async function fetchGlewlwyd(directory: string): Promise<string> {
  const plan = execFileSync('apt-get', ['install', '--simulate', '--no-install-recommends', 'glewlwyd'], {
    encoding: 'utf8',
  })
  const packages = [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name)
  execFileSync('apt-get', ['download', ...packages], { cwd: directory, stdio: 'ignore' })
  const root = join(directory, 'root')
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.deb')))
    execFileSync('dpkg', ['--extract', join(directory, file), root])
  return root
}
