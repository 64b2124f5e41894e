import {
  Activity,
  KeyRound,
  LogIn,
  LogOut,
  type LucideIcon,
  Monitor,
  Settings2,
  ShieldAlert,
  UserPen,
} from 'lucide-react'
import { needsAttention } from '../app/activity.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'

interface EventPictureProps {
  actor: { id: string; name: string } | null
  target: { kind: string; id: string | null; name: string | null }
  /** The URLs of pictures by the id of the user. */
  pictures?: Record<string, string> | undefined
}

/** The picture of the actor; without one, of the user whom the event is about, or of a failed attempt. */
export function EventPicture({ actor, target, pictures = {} }: EventPictureProps) {
  const { kind, id, name } = target
  if (actor?.id.startsWith('setup:')) return <ObjectIcon kind="secret" />
  if (actor) return <Avatar {...actor} picture={pictures[actor.id]} />
  if (kind === 'user' && id !== null && name !== null) return <Avatar id={id} name={name} picture={pictures[id]} />
  return <ObjectIcon kind={kind === 'directory-person' || kind === 'attempt' ? 'secret' : 'other'} />
}

/** The icons of actions, by the part of their names before the first dot. */
const icons: Record<string, LucideIcon> = {
  signin: LogIn,
  signout: LogOut,
  session: Monitor,
  device: Monitor,
  login: KeyRound,
  'developer-token': KeyRound,
  'personal-token': KeyRound,
  preference: Settings2,
  profile: UserPen,
  user: UserPen,
}

/** The icon of an action: in the activity of one user, whose own picture says nothing. A failure is red. */
export function EventIcon({ action }: { action: string }) {
  const isFailure = needsAttention(action)
  const Icon = isFailure ? ShieldAlert : (icons[action.split('.')[0] ?? ''] ?? Activity)
  return (
    <span
      aria-hidden="true"
      className={`grid size-[28px] shrink-0 place-items-center rounded-lg bg-well ${isFailure ? 'text-bad' : 'text-ink2'}`}
    >
      <Icon size={15} strokeWidth={1.75} />
    </span>
  )
}
