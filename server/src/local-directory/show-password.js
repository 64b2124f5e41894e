// Lets users read the password that they enter. It is hidden again when the form is sent, so that no browser stores it
// as text.
const field = document.getElementById('password')
const button = document.getElementById('show-password')

function show(isShown) {
  field.type = isShown ? 'text' : 'password'
  button.firstElementChild.textContent = isShown ? 'Hide' : 'Show'
}

button.hidden = false
button.addEventListener('click', () => show(field.type === 'password'))
field.form.addEventListener('submit', () => show(false))
