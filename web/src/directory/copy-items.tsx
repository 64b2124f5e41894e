import { Code, Link } from 'lucide-react'
import { reportSuccess } from '../app/messages.ts'
import { copyCall, findPageCall } from '../app/page-call.ts'
import { copyText } from '../ui/copy.ts'
import type { MenuItem } from '../ui/Menu.tsx'

/** Returns the menu items that copy the URL of the current page and, where a call returns its record, that call. */
export function listCopyItems(): MenuItem[] {
  const path = findPageCall(location.pathname)
  const link = { label: 'Copy link', icon: <Link size={16} />, onSelect: () => void copyLink() }
  return path ? [link, copyAsCurl(path)] : [link]
}

async function copyLink() {
  if (await copyText(location.href)) reportSuccess('Link copied')
}

/** Returns the menu item that copies a call. */
export const copyAsCurl = (path: string): MenuItem => ({
  label: 'Copy as cURL',
  icon: <Code size={16} />,
  onSelect: () => void copyCall(path),
})
