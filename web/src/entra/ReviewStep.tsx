import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Card } from '../ui/Card.tsx'
import { DomainList } from './DomainList.tsx'
import { MappingList } from './MappingEditor.tsx'
import { SignInCard } from './SignInCard.tsx'
import { StepFoot } from './StepList.tsx'
import type { StepProps } from './wizard.ts'

/** The last step: what is set up, a test sign-in, and the switch. */
export function ReviewStep({ org, onGo }: StepProps) {
  const navigate = useNavigate()
  const { entra } = org
  const edit = (label: string) => (
    <button type="button" className="link text-[13px] pointer-coarse:min-h-11" onClick={() => onGo('groups')}>
      {label}
    </button>
  )
  return (
    <>
      <Card title="Domains" description="Users with an email on these domains sign in through the tenant.">
        <DomainList org={org} />
      </Card>
      <Card title="Groups and roles" action={edit('Edit mappings')}>
        <MappingList mappings={entra.mappings} />
      </Card>
      <Card title="Guests" action={edit('Edit guests')}>
        <Line>{entra.allowGuests ? 'Guests of the tenant may sign in.' : 'Guests of the tenant may not sign in.'}</Line>
      </Card>
      <SignInCard org={org} />
      <StepFoot
        onBack={() => onGo('groups')}
        isPrimary={entra.signInEnabled}
        action={entra.signInEnabled ? 'Open organisation' : 'Finish later'}
        onContinue={() => void navigate({ to: '/admin/orgs/$orgId', params: { orgId: org.id } })}
      />
    </>
  )
}

const Line = ({ children }: { children: ReactNode }) => <p className="px-4 pb-4 text-ink2 sm:px-[18px]">{children}</p>
