import {
  AppWindow,
  BadgeCheck,
  Box,
  Braces,
  Building2,
  FileText,
  Folder,
  KeyRound,
  type LucideIcon,
  Package,
  Shield,
  Store,
  User,
  Users,
} from 'lucide-react'
import { Avatar } from './Avatar.tsx'

/** A kind of object, each with an icon and a hue of its own, so that a path reads by shape and colour. */
export type ObjectKind =
  | 'user'
  | 'group'
  | 'org'
  | 'role'
  | 'client'
  | 'identity-api'
  | 'entitlement'
  | 'aws-product'
  | 'aws-subscription'
  | 'content'
  | 'document'
  | 'folder'
  | 'secret'
  | 'other'

const icons: Record<ObjectKind, [Icon: LucideIcon, hue: number]> = {
  user: [User, 255],
  group: [Users, 190],
  org: [Building2, 75],
  role: [Shield, 30],
  client: [AppWindow, 290],
  'identity-api': [Braces, 150],
  entitlement: [BadgeCheck, 130],
  'aws-product': [Store, 170],
  'aws-subscription': [Package, 60],
  content: [FileText, 320],
  document: [FileText, 320],
  folder: [Folder, 310],
  secret: [KeyRound, 55],
  other: [Box, 230],
}

interface ObjectIconProps {
  kind: ObjectKind
  /** In pixels: 22 in a path, 28 in a list, 32 in a card, 60 in the head of a record. */
  size?: number
}

interface PictureProps extends ObjectIconProps {
  id: string
  name: string
  /** The URL of a user's own picture. */
  picture?: string | null | undefined
}

/** The picture of an object: a user's own or their initials, otherwise the icon of its kind. */
export function Picture({ kind, id, name, picture, size = 28 }: PictureProps) {
  if (kind !== 'user') return <ObjectIcon kind={kind} size={size} />
  return <Avatar id={id} name={name} picture={picture} size={size} />
}

/** The picture of a kind of object. */
export function ObjectIcon({ kind, size = 28 }: ObjectIconProps) {
  const [Icon, hue] = icons[kind]
  return (
    <span
      aria-hidden="true"
      className="grid shrink-0 place-items-center rounded-lg"
      style={{
        width: size,
        height: size,
        background: `light-dark(oklch(0.945 0.03 ${hue}), oklch(0.33 0.06 ${hue}))`,
        color: `light-dark(oklch(0.42 0.11 ${hue}), oklch(0.88 0.08 ${hue}))`,
      }}
    >
      <Icon size={Math.round(size * 0.52)} strokeWidth={1.75} />
    </span>
  )
}
