// On the pages of operators and models: a field that hides the rows of tables without a text.
document.addEventListener("DOMContentLoaded", () => {
  const title = document.querySelector(".md-content h1");
  if (!title || !/^(Operators|Models)\b/.test(title.textContent)) return;
  const field = document.createElement("input");
  field.type = "search";
  field.className = "filter";
  field.placeholder = "Show only rows that contain …";
  field.setAttribute("aria-label", field.placeholder);
  field.addEventListener("input", () => {
    const wanted = field.value.toLowerCase();
    for (const row of document.querySelectorAll(".md-content tbody tr"))
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
  title.after(field);
});
