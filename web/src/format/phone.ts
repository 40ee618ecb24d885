/** In groups, as people read it aloud. Numbers of other countries stay as they are. */
export function formatPhone(phone: string): string {
  return phone.replace(/^(\+91)(\d{5})(\d{5})$/, '$1 $2 $3').replace(/^(\+1)(\d{3})(\d{3})(\d{4})$/, '$1 $2 $3 $4');
}
