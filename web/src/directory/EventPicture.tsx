import { Avatar } from '../ui/Avatar.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'

interface EventPictureProps {
  actor: { id: string; name: string } | null
  target: { kind: string; id: string | null; name: string | null }
}

/** The picture of the actor; without one, of the user whom the event is about, or of a failed attempt. */
export function EventPicture({ actor, target }: EventPictureProps) {
  const { kind, id, name } = target
  if (actor) return <Avatar {...actor} />
  if (kind === 'user' && id !== null && name !== null) return <Avatar id={id} name={name} />
  return <ObjectIcon kind={kind === 'directory-person' || kind === 'attempt' ? 'secret' : 'other'} />
}
