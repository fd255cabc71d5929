fn main() {
    for path in std::env::args().skip(1) {
        let o = fidelity::compare(path.as_ref()).unwrap();
        println!("{path}: {} decisions, {} differ", o.decisions, o.differ);
        for d in o.first.iter().take(4) {
            println!("   {}: expected `{}` decided `{}`", d.line, d.expected, d.decided);
        }
    }
}
