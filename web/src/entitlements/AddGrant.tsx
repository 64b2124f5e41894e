import type { Entitlement } from '@passport/contract/entitlements'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { GrantDialog } from './GrantDialog.tsx'

/** The primary action of a definition. */
export function AddGrant({ entitlement }: { entitlement: Entitlement }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        <Plus size={16} aria-hidden="true" />
        Add grant
      </Button>
      {isOpen && <GrantDialog entitlement={entitlement} onClose={() => setOpen(false)} />}
    </>
  )
}
