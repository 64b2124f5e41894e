import { join } from 'node:path'
import { runServer } from '@passport/world/process'
import { middleOfAll, percentile } from './percentile.ts'
import { type PermissionClient, signInClient } from './permission-client.ts'
import type { Figures } from './permission-figures.ts'
import { stop } from './server.ts'

const writers = 16
const seconds = 5
const elsewhere = 200

/** Single writes, what the process that wrote knows of them, and when another one on the same database does. */
export async function measureWrites(client: PermissionClient, env: Record<string, string>): Promise<Figures> {
  const { writes, seen } = await write(client)
  const { DATA_DIR: dataDir = '', ...rest } = env
  const sockets = join(dataDir, 'postgres/sockets')
  const other = await runServer({ ...rest, DATABASE_URL: `postgres://passport@localhost/passport?host=${sockets}` })
  try {
    const late = await measureElsewhere(client, await signInClient(other))
    return {
      writes: writes / seconds,
      ownWrites: (seen / writes) * 100,
      elsewhereP50: middleOfAll(late),
      elsewhereP99: percentile(late, 0.99),
    }
  } finally {
    await stop(other)
  }
}

/** Sixteen write one after the other, and ask about each that is acknowledged; asking counts as well. */
async function write(client: PermissionClient): Promise<{ writes: number; seen: number }> {
  let [writes, seen] = [0, 0]
  const end = performance.now() + seconds * 1000
  const writeOn = async () => {
    while (performance.now() < end) {
      const id = `written-${writes++}`
      await writeOne(client, id)
      if (await isSeen(client, id)) seen++
    }
  }
  await Promise.all(Array.from({ length: writers }, writeOn))
  return { writes, seen }
}

/** Milliseconds from each acknowledgement until the other process answers so, to the length of one of its answers. */
async function measureElsewhere(client: PermissionClient, other: PermissionClient): Promise<number[]> {
  while ((await other.call('GET', '/status'))['counts'] === null);
  const late: number[] = []
  for (let at = 0; at < elsewhere; at++) {
    const id = `elsewhere-${at}`
    await writeOne(client, id)
    const since = performance.now()
    while (!(await isSeen(other, id)));
    late.push(performance.now() - since)
  }
  return late
}

const writer = { type: 'user', id: 'writer' }

async function writeOne({ call }: PermissionClient, id: string) {
  const relationship = { resource: { type: 'document', id }, relation: 'viewer', subject: writer }
  await call('POST', '/relationships', { updates: [{ operation: 'create', relationship }] })
}

async function isSeen({ call }: PermissionClient, id: string): Promise<boolean> {
  const question = { resource: { type: 'document', id }, permission: 'view', subject: writer }
  return (await call('POST', '/check', question))['permissionship'] === 'hasPermission'
}
