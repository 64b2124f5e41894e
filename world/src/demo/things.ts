import type { DemoUser } from './furnish.ts'
import type { DemoState } from './state.ts'

/** A link of a thing to try. With `as`, it signs this demo user in on the way to a page of the console. */
export interface DemoLink {
  text: string
  to: string
  as?: DemoUser
}

/** Something to try in the demo world. */
export interface Thing {
  title: string
  /** What to do, and what to see. */
  text: string
  link: DemoLink
  more?: DemoLink[]
}

/** The addresses of the simulated services. */
export interface Places {
  mail: string
  registrar: string
  marketplace: string
  entra: string
  /** The address of these pages. */
  own: string
}

const stagePro = 'stagepro1a2b3c4d5e6f7g8h9'
const meridian = 'meridian.example'

/** Returns the ten things to try, each with a link that works at once. */
export function listThings({ question, joinUrl = '', northlight }: DemoState, places: Places): Thing[] {
  const orgs = '/app/admin/orgs'
  return [
    {
      title: 'Look around as an administrator',
      text: 'A company of 400 people with a month of activity. The home page has its figures, what needs attention, and the first steps.',
      link: { text: 'Open the console as Ada', to: '/app/', as: 'ada' },
    },
    {
      title: 'Get a token and call an API',
      text: 'Generate a token, look into it, and send a request with it. Passport asks Dev to sign in again: choose Harbour ID.',
      link: { text: 'Open developer tokens as Dev', to: '/app/developer/tokens', as: 'dev' },
    },
    {
      title: 'Sign a headset in with a code',
      text: 'The headset shows a code. Approve it in this browser: which app, which device, what it gets.',
      link: { text: 'Switch the headset on', to: `${places.own}/headset` },
    },
    {
      title: 'Join an organisation by a link',
      text: 'A link that was pasted into a chat: the first 40 people who open it become members of Harbour Hall.',
      link: { text: 'Open the link as Eve', to: `/app/join/${joinUrl.split('/').at(-1)}`, as: 'eve' },
    },
    {
      title: 'Ask why she has access',
      text: 'Eve may view the budget of the festival. See the path, each step a link, and what would end it.',
      link: { text: 'Ask as Ada', to: `/app/admin/tools/permissions/check?${question}`, as: 'ada' },
    },
    {
      title: 'Connect a customer with Microsoft Entra',
      text: `Four steps: find the tenant of ${meridian}, get its consent, map its groups, test the sign-in. Then its people sign in with their email.`,
      link: { text: 'Start as Ada', to: `${orgs}/createentra?q=${meridian}`, as: 'ada' },
    },
    {
      title: 'Watch Microsoft Entra provision people',
      text: 'Northlight Studios is connected. Rename a user at Entra: within 30 seconds the request arrives by SCIM, and the name changes.',
      link: { text: 'Watch as Ada', to: `${orgs}/${northlight?.orgId}/provisioning`, as: 'ada' },
      more: [
        { text: 'Rename a user at Entra', to: places.entra },
        { text: 'Sign in as iris.vale@northlight.example', to: '/login?email=iris.vale%40northlight.example' },
      ],
    },
    {
      title: 'Buy on AWS Marketplace',
      text: 'Subscribe, choose Set up your account, and redeem the purchase as Eve. Its events arrive by a queue of SQS.',
      link: { text: 'Buy Stage Pro', to: `${places.marketplace}/products/${stagePro}` },
      more: [
        {
          text: 'Play a whole life in the simulator',
          to: '/app/admin/awssubscriptions?view=simulator',
          as: 'ada',
        },
      ],
    },
    {
      title: 'Connect a Meta Horizon account',
      text: 'Link the account of a headset to a person, by Meta’s own sign-in.',
      link: { text: 'Connect as Eve', to: '/app/connect/metahorizon', as: 'eve' },
    },
    {
      title: 'Invite a colleague and read the mail',
      text: 'Send an invitation to any address. Every mail of Passport arrives in one mailbox, with the link to accept it.',
      link: { text: 'Invite as Ada', to: '/app/admin/users/invitations/create', as: 'ada' },
      more: [{ text: 'Open the mailbox', to: places.mail }],
    },
  ]
}
