import { join } from 'node:path'
import { runServer } from '@passport/world/process'
import { median, percentile } from './percentile.ts'
import { authenticateClient, type PermissionClient } from './permission-client.ts'
import type { Figures } from './permission-figures.ts'
import { stop } from './server.ts'

const writers = 16
const seconds = 5
const visibilitySamples = 200

/**
 * Measures single writes, their visibility in the writing process, and the delay in another process on the same
 * database.
 */
export async function measureWrites(client: PermissionClient, env: Record<string, string>): Promise<Figures> {
  const { writes, visible } = await write(client)
  const { DATA_DIR: dataDir = '', ...rest } = env
  const sockets = join(dataDir, 'postgres/sockets')
  const otherServer = await runServer({
    ...rest,
    DATABASE_URL: `postgres://passport@localhost/passport?host=${sockets}`,
  })
  try {
    const delays = await measureVisibility(client, await authenticateClient(otherServer))
    return {
      writes: writes / seconds,
      ownWrites: (visible / writes) * 100,
      elsewhereP50: median(delays),
      elsewhereP99: percentile(delays, 0.99),
    }
  } finally {
    await stop(otherServer)
  }
}

/** Sixteen writers write sequentially and check each acknowledged write; the checks count towards the time. */
async function write(client: PermissionClient): Promise<{ writes: number; visible: number }> {
  let [writes, visible] = [0, 0]
  const end = performance.now() + seconds * 1000
  const writeUntilEnd = async () => {
    while (performance.now() < end) {
      const id = `written-${writes++}`
      await writeOne(client, id)
      if (await isVisible(client, id)) visible++
    }
  }
  await Promise.all(Array.from({ length: writers }, writeUntilEnd))
  return { writes, visible }
}

/**
 * Returns the milliseconds from each acknowledgement until the other process sees it, to the precision of one response.
 */
async function measureVisibility(client: PermissionClient, otherClient: PermissionClient): Promise<number[]> {
  while ((await otherClient.call('GET', '/status'))['counts'] === null);
  const delays: number[] = []
  for (let index = 0; index < visibilitySamples; index++) {
    const id = `elsewhere-${index}`
    await writeOne(client, id)
    const startedAt = performance.now()
    while (!(await isVisible(otherClient, id)));
    delays.push(performance.now() - startedAt)
  }
  return delays
}

const writer = { type: 'user', id: 'writer' }

async function writeOne({ call }: PermissionClient, id: string) {
  const relationship = { resource: { type: 'document', id }, relation: 'viewer', subject: writer }
  await call('POST', '/relationships', { updates: [{ operation: 'create', relationship }] })
}

async function isVisible({ call }: PermissionClient, id: string): Promise<boolean> {
  const request = { resource: { type: 'document', id }, permission: 'view', subject: writer }
  return (await call('POST', '/check', request))['permissionship'] === 'hasPermission'
}
