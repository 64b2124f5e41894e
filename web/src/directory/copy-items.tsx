import { Code, Link } from 'lucide-react'
import { reportSuccess } from '../app/messages.ts'
import { copyText } from '../ui/copy.ts'
import type { MenuItem } from '../ui/Menu.tsx'
import { toast } from '../ui/toast.ts'
import { findPageCall } from './page-call.ts'

/** The part of the guide that the message after copying links to. */
const tokenGuide = '/docs/administering-by-script#get-a-token'

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

/** The message says how to get the token. */
async function copyCall(path: string) {
  const url = `${location.origin}${path}`.replaceAll("'", '%27')
  if (!(await copyText(`curl '${url}' -H "Authorization: Bearer $TOKEN"`))) return
  const action = { label: 'Get $TOKEN', run: () => window.open(tokenGuide, '_blank', 'noopener') }
  void toast({ id: 'copied', type: 'success', content: 'Copied as cURL', action })
}
