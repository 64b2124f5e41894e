import { Hono } from 'hono'
import { createUser } from '../oidc-provider/users.ts'
import { serveApp } from '../serve-app.ts'
import { type DemoUser, demoPeople } from './furnish.ts'
import { createHeadsets } from './headset.ts'
import { renderHeadset, renderThings } from './pages.ts'
import type { DemoState } from './state.ts'
import { type DemoLink, listThings, type Places, type Thing } from './things.ts'

export interface HubOptions {
  port: number
  passportUrl: string
  state: DemoState
  places: Omit<Places, 'own'>
}

export interface RunningHub {
  url: string
  things: Thing[]
  stop: () => Promise<void>
}

/** Returns the address of a link: a page of the console by way of a sign-in at Harbour ID, for which it names the person. */
function resolve(passportUrl: string, { to, as }: DemoLink): string {
  if (as === undefined) return to.startsWith('/') ? passportUrl + to : to
  const hint = createUser(demoPeople[as]).preferred_username
  return `${passportUrl}/login?${new URLSearchParams({ idp: 'harbour', login_hint: hint, returnUrl: to })}`
}

/** Serves the page of the things to try: `/3` is the link of the third, `/as/eve` signs Eve in. */
export async function startHub({ port, passportUrl, state, places }: HubOptions): Promise<RunningHub> {
  const app = new Hono()
  const headsets = createHeadsets(passportUrl)
  const url = `http://localhost:${port}`
  const things = listThings(state, { ...places, own: url })
  const { domain } = state
  const around = [
    { text: 'The mailbox of all users', url: places.mail },
    { text: 'AWS Marketplace: purchases, events, the queue and faults', url: places.marketplace },
    { text: 'Microsoft Entra: tenants, people, consents and faults', url: places.entra },
    {
      text: 'The registrar, where Kettle Lane Theatre can add the record that proves its domain',
      url: `${places.registrar}/?${new URLSearchParams({ name: domain?.name ?? '', text: domain?.text ?? '' })}`,
    },
    {
      text: 'The domains of Kettle Lane Theatre, as Ada',
      url: resolve(passportUrl, { text: '', to: `/app/admin/orgs/${domain?.orgId}/domains`, as: 'ada' }),
    },
  ]
  app.get('/', (c) => c.html(renderThings({ brandUrl: passportUrl, password: state.password, things, places: around })))
  app.get('/as/:user', (c) => {
    const as = c.req.param('user')
    return as in demoPeople
      ? c.redirect(resolve(passportUrl, { text: '', to: '/app/', as: as as DemoUser }))
      : c.notFound()
  })
  app.get('/headset', async (c) => c.redirect(`/headset/${await headsets.start()}`))
  app.get('/headset/:id', async (c) => {
    const headset = await headsets.poll(c.req.param('id'))
    return headset ? c.html(renderHeadset(headset)) : c.redirect('/headset')
  })
  app.get('/:number/:more?', (c) => {
    const thing = things[Number(c.req.param('number')) - 1]
    const more = c.req.param('more')
    const link = more === undefined ? thing?.link : thing?.more?.[Number(more) - 1]
    return link ? c.redirect(resolve(passportUrl, link)) : c.notFound()
  })
  const { stop } = await serveApp(app, port)
  return { url, things, stop }
}
