import * as api from '@passport/contract/connections'
import type { Feature } from '../feature.ts'
import type { Caller } from '../http/caller.ts'
import { bearerNotAccepted, userNotFound } from '../http/problems.ts'
import * as users from '../users/store.ts'
import { confirm, connect } from './confirm.ts'
import { createConnectors } from './connectors.ts'
import { removeConnection } from './remove.ts'
import { receive, start } from './start.ts'
import * as store from './store.ts'
import { undoMove } from './undo.ts'

/** The accounts of users at other services, such as Meta Horizon. */
export const connections: Feature = ({ serve }, services) => {
  const { sql, http, config, httpClient } = services
  const connectors = createConnectors(config, httpClient)
  const toKey = (caller: Caller, connector: string) => {
    if (!caller.session) throw bearerNotAccepted()
    return { sessionId: caller.session.id, connector }
  }

  serve(api.listConnectors, () => connectors.all)

  serve(api.startConnection, ({ caller, params: { connector }, cookies }) =>
    start(connectors.find(connector), toKey(caller, connector), { sql, http, cookies }),
  )

  serve(api.receiveConnection, ({ caller, params: { connector }, body, cookies }) =>
    receive(connectors.find(connector), toKey(caller, connector), body, { sql, http, cookies }),
  )

  serve(api.confirmConnection, async ({ caller, params: { connector }, body, visit }) => {
    const { name } = connectors.find(connector)
    await confirm(services, toKey(caller, connector), body, { caller, visit, serviceName: name })
    return { status: 'linked' as const }
  })

  serve(api.proveConnection, async ({ caller, params: { connector }, body, visit }) => {
    // A token of an app on the headset; a user's own script has nothing to connect.
    if (caller.personalToken) throw bearerNotAccepted()
    const account = await connectors.findMeta(connector).checkNonce(body.userId, body.nonce)
    await connect(sql, { connector, ...account }, { caller, visit })
    return { status: 'linked' as const }
  })

  serve(api.undoMove, ({ params, body, visit }) => undoMove(sql, params.connector, body.token, visit))

  serve(api.listConnections, ({ caller }) => store.list(sql, caller.id))

  serve(api.removeConnection, ({ params, caller, visit }) =>
    removeConnection(sql, caller.id, params.id, { caller, visit }),
  )

  serve(api.listUserConnections, async ({ params }) => {
    if (!(await users.find(sql, params.userId))) throw userNotFound()
    return store.list(sql, params.userId)
  })

  serve(api.removeUserConnection, async ({ params, caller, visit }) => {
    if (!(await users.find(sql, params.userId))) throw userNotFound()
    await removeConnection(sql, params.userId, params.id, { caller, visit })
  })
}
