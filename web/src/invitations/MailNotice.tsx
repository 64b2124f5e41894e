/** A notice for the pages of invitations while email is not configured. */
export function MailNotice() {
  return (
    <p className="card border-l-3 border-l-warn px-4 py-3 [overflow-wrap:anywhere]">
      <strong className="font-[620]">Email isn't configured.</strong> You hand over each link yourself, until{' '}
      <Variables /> are set.
    </p>
  )
}

/** What follows from that, for a panel with that title. */
export const MailHelp = () => (
  <p className="max-w-80">
    Each invitation has a link that is shown once, for you to hand over. To send invitations by email, set <Variables />
    .
  </p>
)

const Variables = () => (
  <>
    <code className="font-mono text-[12.5px]">SMTP_URL</code> and{' '}
    <code className="font-mono text-[12.5px]">MAIL_FROM</code>
  </>
)
