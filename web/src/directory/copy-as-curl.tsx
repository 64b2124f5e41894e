import { SquareTerminal } from 'lucide-react'
import { copyText } from '../ui/copy.ts'
import type { MenuItem } from '../ui/Menu.tsx'
import { toast } from '../ui/toast.ts'

/** The part of the guide that the message after copying links to. */
const tokenGuide = '/docs/administering-by-script#get-a-token'

/** Returns the menu item that copies the call of a record. The message says how to get the token. */
export const copyAsCurl = (path: string): MenuItem => ({
  label: 'Copy as cURL',
  icon: <SquareTerminal size={16} />,
  onSelect: () => void copy(path),
})

async function copy(path: string) {
  const url = `${location.origin}${path}`.replaceAll("'", '%27')
  if (!(await copyText(`curl '${url}' -H "Authorization: Bearer $TOKEN"`))) return
  const action = { label: 'Get $TOKEN', run: () => window.open(tokenGuide, '_blank', 'noopener') }
  void toast({ id: 'copied', type: 'success', content: 'Copied as cURL', action })
}
