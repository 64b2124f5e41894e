import {
  Box,
  Building2,
  Cloud,
  Database,
  Gauge,
  Glasses,
  Image,
  Inbox,
  LogIn,
  type LucideIcon,
  Mail,
  Timer,
  Waypoints,
} from 'lucide-react'

/** How a check is presented: its name, what users notice while it fails, and the guide that sets it up. */
interface CheckWords {
  title: string
  icon: LucideIcon
  effect: string
  guide?: string
  /** The page with more about it. */
  page?: string
}

const words: Record<string, CheckWords> = {
  postgres: { title: 'PostgreSQL', icon: Database, effect: 'Every page and every call takes longer, or fails.' },
  jobs: {
    title: 'Background jobs',
    icon: Timer,
    effect: 'Imports, deletions and checks of domains are delayed.',
  },
  mail: {
    title: 'Email',
    icon: Mail,
    effect: 'Invitations, codes and notices arrive late.',
    guide: '/docs/mail',
    page: '/admin/mail',
  },
  entra: {
    title: 'Microsoft Entra',
    icon: Cloud,
    effect: 'Users of tenants may not be able to sign in.',
    guide: '/docs/entra-organisations',
  },
  'aws-marketplace': {
    title: 'AWS Marketplace',
    icon: Building2,
    effect: 'Purchases and changes of subscriptions are delayed.',
    guide: '/docs/aws-marketplace',
  },
  'aws-metering': {
    title: 'AWS metering',
    icon: Gauge,
    effect: 'Usage is billed late, and after a day not at all.',
    guide: '/docs/aws-marketplace#usage',
  },
  'aws-queues': {
    title: 'AWS queues',
    icon: Inbox,
    effect: 'Purchases and changes at AWS are noticed in the next nightly comparison.',
    guide: '/docs/aws-marketplace#a-queue',
  },
  meta: {
    title: 'Meta Horizon',
    icon: Glasses,
    effect: 'Users may not be able to connect accounts.',
    guide: '/docs/connected-accounts',
  },
  permissions: { title: 'Permissions', icon: Waypoints, effect: 'Checks of permissions take longer, or fail.' },
  media: { title: 'Media', icon: Image, effect: 'Pictures and avatars load slowly, or not at all.' },
}

/** Returns the words of a check; `nameProvider` returns the name of an identity provider. */
export function describeCheck(name: string, nameProvider: (id: string) => string): CheckWords {
  const [, id] = /^idp:(.*)$/.exec(name) ?? []
  if (id !== undefined)
    return {
      title: `Sign-in at ${nameProvider(id)}`,
      icon: LogIn,
      effect: 'Users of this provider may not be able to sign in.',
    }
  return words[name] ?? { title: name, icon: Box, effect: '' }
}
